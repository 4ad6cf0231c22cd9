import EngineRuntime

/// The users who are typing in a channel, and the sending of this client's own typing state. Rules LL-121 to LL-123.
///
/// ```swift
/// let typing = try room.typing
/// try await typing.keystroke()  // for each change of the text
/// for await users in typing.users { show(users) }
/// ```
public struct Typing: Sendable {
    let hold: RoomHold
    let core: ClientCore

    /// The ids of other users who are typing now, in the order in which they began. This client's own user is not included. After the end
    /// of the room the list is empty.
    ///
    /// A user stops typing by sending a stop, by publishing a message, by leaving a channel with presence, or after 6 s without another
    /// typing message.
    public var current: [String] { hold.typingUsers }

    /// The other users who are typing, as a whole list after each change; the present list comes first. Each read of the property returns
    /// an independent sequence.
    public var users: TypingUsers { hold.typingChanges() }

    /// Signals that this client's user is typing. Call this method for each change of the text: it sends at most one message in 4 s, and
    /// returns at once for other calls.
    ///
    /// The message is sent once or not at all, and is not stored for a later connection. Its cost is a signal with PubNub and a client
    /// event with Pusher. With chat it is a notification that counts as a message for chat's limits.
    ///
    /// - Throws: ``LifelineError/Code/disconnected`` without a connection, if the service needs one (Pusher and chat);
    ///   ``LifelineError/Code/notSubscribed`` when the room has ended; the failure when the service refused or did not answer. Typing
    ///   indicators are expendable: an app may ignore all of these errors.
    public func keystroke() async throws(LifelineError) {
        try checkRoom()
        guard hold.feed.typing.withThrottle({ $0.struck(at: $1) }) else { return }
        try await core.adapter.sendTyping(true, in: hold.feed.channel)
    }

    /// Signals that this client's user is not typing any more, such as when the text was cleared. Nothing is sent if others do not count
    /// the user as typing. Chat has no such message: other users see the end after 6 s, or when a message of this user arrives.
    ///
    /// - Throws: as ``keystroke()``.
    public func stop() async throws(LifelineError) {
        try checkRoom()
        guard hold.feed.typing.withThrottle({ $0.stopped(at: $1) }) else { return }
        try await core.adapter.sendTyping(false, in: hold.feed.channel)
    }

    private func checkRoom() throws(LifelineError) {
        guard !hold.feed.isEnded else {
            throw LifelineError(
                .notSubscribed, "The subscription of this room has ended. Subscribe to channel \(hold.feed.channel) again.")
        }
    }
}

extension Room {
    /// The typing indicators of the channel.
    ///
    /// - Throws: ``LifelineError/Code/unsupported`` when the service has no typing indicators for this channel. Also when the client
    ///   requires encryption, because the service can read typing indicators. Check ``Channel/supports(_:)`` with ``ChannelFeature/typing``
    ///   first.
    public var typing: Typing {
        get throws(LifelineError) {
            try core.checkUnencrypted(.typing)
            try core.adapter.check(.typing, of: name)
            return Typing(hold: hold, core: core)
        }
    }
}

extension ClientCore {
    /// Throws when the client requires encryption. Called for features whose messages are not encrypted with any service (rule LL-26).
    func checkUnencrypted(_ feature: ChannelFeature) throws(LifelineError) {
        guard requiresEncryption else { return }
        throw .unsupported(feature: "encryption of \(feature)", service: adapter.serviceName)
    }
}
