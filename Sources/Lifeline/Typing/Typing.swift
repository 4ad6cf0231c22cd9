import EngineRuntime

/// Who is typing in a channel, and telling others that one's own user is. Rules LL-121 to LL-123.
///
/// ```swift
/// let typing = try room.typing
/// try await typing.keystroke()  // for each change of the text
/// for await users in typing.users { show(users) }
/// ```
public struct Typing: Sendable {
    let hold: RoomHold
    let core: ClientCore

    /// The ids of other users who are typing now, in the order in which they began. This client's own user is not included; empty after
    /// the end of the room.
    ///
    /// A user stops when the user says so, publishes a message, leaves a channel with presence, or has said nothing for 6 s.
    public var current: [String] { hold.typingUsers }

    /// Who else is typing, as a whole list each time that it changes; the list of now comes first. Each read of the property gives an independent
    /// sequence.
    public var users: TypingUsers { hold.typingChanges() }

    /// Signals that this client's user is typing. Call it for each change of the text: at most one message is sent in 4 s, and other
    /// calls return at once.
    ///
    /// It is told once or not at all, and nothing is kept for a connection that comes later. What it costs: PubNub a signal, Pusher a client event, chat
    /// a notification that counts as a message for its limits.
    ///
    /// - Throws: ``LifelineError/Code/disconnected`` without a connection, where one is needed (Pusher and chat);
    ///   ``LifelineError/Code/notSubscribed`` when the room has ended; why the service refused, or did not answer. Typing is no loss: an app may
    ///   ignore all of these.
    public func keystroke() async throws(LifelineError) {
        try checkRoom()
        guard hold.feed.typing.withThrottle({ $0.struck(at: $1) }) else { return }
        try await core.adapter.sendTyping(true, in: hold.feed.channel)
    }

    /// Tells others that this client's user is not typing any more, such as when the text was cleared. Nothing is sent unless others may count the user
    /// as typing. Chat has no word for it: there others see it after 6 s, or with the message.
    ///
    /// - Throws: as ``keystroke()``.
    public func stop() async throws(LifelineError) {
        try checkRoom()
        guard hold.feed.typing.withThrottle({ $0.stopped(at: $1) }) else { return }
        try await core.adapter.sendTyping(false, in: hold.feed.channel)
    }

    private func checkRoom() throws(LifelineError) {
        guard !hold.feed.isEnded else {
            throw LifelineError(.notSubscribed, "The room has ended. Subscribe to \(hold.feed.channel) first.")
        }
    }
}

extension Room {
    /// Who is typing in the channel.
    ///
    /// - Throws: ``LifelineError/Code/unsupported`` when the service has no typing indicators for this channel, or when the client insists on
    ///   encryption, because the service can read them. Ask ``Channel/supports(_:)`` with ``ChannelFeature/typing`` before.
    public var typing: Typing {
        get throws(LifelineError) {
            try core.checkUnencrypted(.typing)
            try core.adapter.check(.typing, of: name)
            return Typing(hold: hold, core: core)
        }
    }
}

extension ClientCore {
    /// Rule LL-26, for messages that no service encrypts.
    func checkUnencrypted(_ feature: ChannelFeature) throws(LifelineError) {
        guard requiresEncryption else { return }
        throw .unsupported(feature: "encryption of \(feature)", service: adapter.serviceName)
    }
}
