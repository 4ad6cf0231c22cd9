// Adding, removing and loading reactions to messages. Rules LL-125 to LL-127.
extension Channel {
    /// Adds a reaction of this client's user to a message. ``Room/reactions`` delivers it to other clients and to this one. The channel
    /// need not be subscribed. Adding the same reaction again changes nothing, so a failed call can be repeated.
    ///
    /// ```swift
    /// guard let id = message.id else { return }
    /// try await room.channel.addReaction("👍", to: id)
    /// ```
    ///
    /// - Parameters:
    ///   - name: the reaction, such as `👍`; not empty. The service can read it, also with a cipher key.
    ///   - id: the ``Message/id`` of a message that the service keeps for the history.
    /// - Throws: ``LifelineError/Code/unsupported``, see ``Room/reactions``; ``LifelineError/Code/badRequest`` for an empty name, for
    ///   an invalid id, and when the service keeps no such message; the failure when the service refused or did not answer; without an
    ///   answer it is unknown whether the service has the reaction.
    public func addReaction(_ name: String, to id: String) async throws(LifelineError) {
        try check(name)
        try await core.adapter.addReaction(name, to: id, in: self.name)
    }

    /// Removes a reaction of this client's user. Does nothing when there is none, so a failed call can be repeated.
    ///
    /// - Parameters:
    ///   - name: the reaction, exactly as it was added.
    ///   - id: the ``Message/id`` of the message.
    /// - Throws: as ``addReaction(_:to:)``.
    public func removeReaction(_ name: String, from id: String) async throws(LifelineError) {
        try check(name)
        try await core.adapter.removeReaction(name, from: id, in: self.name)
    }

    /// Requests the reactions to a message, in the order in which they were added. The channel need not be subscribed.
    ///
    /// - Parameter id: the ``Message/id`` of the message. The result is empty for a message that the service does not store.
    /// - Throws: as ``addReaction(_:to:)``.
    public func reactions(to id: String) async throws(LifelineError) -> [Reaction] {
        try check()
        return try await core.adapter.reactions(to: id, in: name)
    }

    private func check(_ name: String) throws(LifelineError) {
        try check()
        guard !name.isEmpty else { throw LifelineError(.badRequest, "The reaction's name is empty. Pass a name, such as 👍.") }
    }

    private func check() throws(LifelineError) {
        try core.checkUnencrypted(.reactions)
        try core.adapter.check(.reactions, of: name)
    }
}
