import ConnectionEngine

/// A command of a user to a chat session.
public enum NexconnCommand: Sendable {
    /// Sends a message. While there is no connection it waits in the outbox, in order; after a loss it goes out again with the same
    /// client id. Answered with `sent`, or with a failure once it is final: refused, out of time (``NexconnMemory/sendLimit``), or
    /// given up by `disconnect`. Rules NS-10 to NS-16.
    case send(NexconnDraft)
    /// Any other request. Needs a connection; a loss answers it with category `unknown` (rule NS-17).
    case request(NexconnRequest)
    /// A notification; lost without a connection.
    case typing(to: String, type: String)
    /// Keep being in this open channel, over every reconnect. Answered with `entered`, or with the refusal.
    case enter(NexconnEntry)
    /// Stop being in it. Answered at once.
    case exit(String)
    /// Everything up to this position is stored and need not be sent again. The epoch is that of the latest
    /// ``NexconnSessionEvent/welcomed(_:)`` before it arrived; a position of another epoch is ignored.
    case acknowledge(NexconnPlace)
    /// A new token, for the next connection.
    case setToken(String)
    /// A disconnect follows, with this setting for notifications. Answers the messages that wait, also without a link, because the
    /// engine alone could not distinguish messages that may have been delivered from others (rule NS-15).
    case leave(disablePush: Bool)
    /// Drops the messages whose lifetime has ended. While an attempt is alive the session does so by itself; submit this to enforce the
    /// limit during a pause between attempts as well (rule NS-14).
    case expire
}

/// Answers to commands.
public enum NexconnReply: Sendable {
    case sent(NexconnSent)
    case answer(NexconnAnswer)
    indirect case entered(NexconnOpenEntrance)
    case done
}

/// A message that the server has accepted.
public struct NexconnSent: Hashable, Sendable {
    public var clientID: String
    public var id: NexconnMessageID

    public init(clientID: String, id: NexconnMessageID) {
        self.clientID = clientID
        self.id = id
    }

    public var time: Int64 { id.time }
}

/// An event of a chat session.
public enum NexconnSessionEvent: Sendable {
    /// The server has welcomed this connection. Told before the connection counts as up.
    indirect case welcomed(NexconnWelcome)
    /// Events of the inbox, in order, none twice. `isOffline` for those of packages; `hasMore` when another package follows.
    /// Each has to be acknowledged with the command when it is kept; the next package comes only then.
    case received([NexconnInboxItem], isOffline: Bool, hasMore: Bool)
    /// All missed messages have arrived.
    case caughtUp
    /// An event that is of momentary use only.
    case transient(NexconnEvent)
    /// Messages of the inbox since then may be missing: the server could not go on where this device had been.
    case gap(since: Moment?)
    /// Messages of an open channel since then may be missing.
    case openGap(channel: String, since: Moment?)
    /// An open channel was entered again after a reconnect; its `messages` are those missed meanwhile.
    indirect case reentered(NexconnOpenEntrance)
    /// It could not be entered again, or was left by entering another one, and will not be tried again.
    case entryFailed(channel: String, NexconnRefusal)
    /// Something arrived that is not a frame of the protocol; the connection goes on.
    case malformed(reason: String)
}
