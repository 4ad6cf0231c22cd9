import EngineRuntime

/// The users who are typing in a channel, and the announcements of one's own user. Rules LL-121 to LL-123.
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
    /// A user stops by announcing it, by publishing a message, by leaving a channel with presence, or after 6 s without an
    /// announcement.
    public var current: [String] { hold.typingUsers }

    /// The other users who are typing, as a whole list each time that it changes; the present list comes first. Each read of the
    /// property gives an independent sequence.
    public var users: TypingUsers { hold.typingChanges() }

    /// Signals that this client's user is typing. Call it for each change of the text: at most one message is sent in 4 s, and other
    /// calls return at once.
    ///
    /// The message is sent once or not at all, and is not kept for a later connection. It costs a signal with PubNub, a client event
    /// with Pusher, and with chat a notification that counts as a message for its limits.
    ///
    /// - Throws: ``LifelineError/Code/disconnected`` without a connection, if the service needs one (Pusher and chat);
    ///   ``LifelineError/Code/notSubscribed`` when the room has ended; the failure when the service refused or did not answer. Typing
    ///   indicators are expendable: an app may ignore all of these errors.
    public func keystroke() async throws(LifelineError) {
        try checkRoom()
        guard hold.feed.typing.withThrottle({ $0.struck(at: $1) }) else { return }
        try await core.adapter.sendTyping(true, in: hold.feed.channel)
    }

    /// Announces that this client's user is not typing any more, such as when the text was cleared. Nothing is sent unless others may
    /// count the user as typing. Chat has no such message: with chat others see it after 6 s, or when a message arrives.
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
                .notSubscribed, "The subscription of this room has ended. Subscribe to \(hold.feed.channel) again.")
        }
    }
}

extension Room {
    /// The typing indicators of the channel.
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
    /// Rule LL-26, for features whose messages no service encrypts.
    func checkUnencrypted(_ feature: ChannelFeature) throws(LifelineError) {
        guard requiresEncryption else { return }
        throw .unsupported(feature: "encryption of \(feature)", service: adapter.serviceName)
    }
}
