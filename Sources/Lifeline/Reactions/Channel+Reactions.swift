// Reacting to messages. Rules LL-125 to LL-127.
extension Channel {
    /// Reacts to a message, for this client's user. Others, and this client, have it in ``Room/reactions``. The channel need not be subscribed. To react
    /// with the same again changes nothing, so a call that failed can be repeated.
    ///
    /// ```swift
    /// guard let id = message.id else { return }
    /// try await room.channel.addReaction("👍", to: id)
    /// ```
    ///
    /// - Parameters:
    ///   - name: what it is, such as `👍`; not empty. The service can read it, also with a cipher key.
    ///   - id: the ``Message/id`` of a message that the service keeps for the history.
    /// - Throws: ``LifelineError/Code/unsupported``, see ``Room/reactions``; ``LifelineError/Code/badRequest`` for an empty name, for what is not an id, and
    ///   when the service keeps no such message; why the service refused, or did not answer, in which case nobody knows whether it has the reaction.
    public func addReaction(_ name: String, to id: String) async throws(LifelineError) {
        try check(name)
        try await core.adapter.addReaction(name, to: id, in: self.name)
    }

    /// Takes a reaction of this client's user back. Does nothing when there is none, so a call that failed can be repeated.
    ///
    /// - Parameters:
    ///   - name: what it is, as it was added.
    ///   - id: the ``Message/id`` of the message.
    /// - Throws: as ``addReaction(_:to:)``.
    public func removeReaction(_ name: String, from id: String) async throws(LifelineError) {
        try check(name)
        try await core.adapter.removeReaction(name, from: id, in: self.name)
    }

    /// Asks for the reactions to a message, in the order in which they were added. The channel need not be subscribed.
    ///
    /// - Parameter id: the ``Message/id`` of the message. There are no reactions to a message that the service does not keep.
    /// - Throws: as ``addReaction(_:to:)``.
    public func reactions(to id: String) async throws(LifelineError) -> [Reaction] {
        try check()
        return try await core.adapter.reactions(to: id, in: name)
    }

    private func check(_ name: String) throws(LifelineError) {
        try check()
        guard !name.isEmpty else { throw LifelineError(.badRequest, "The reaction is empty. Pass one, such as 👍.") }
    }

    private func check() throws(LifelineError) {
        try core.checkUnencrypted(.reactions)
        try core.adapter.check(.reactions, of: name)
    }
}
