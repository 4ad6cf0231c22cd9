import ConnectionEngine

/// A command of a user to a chat session.
public enum ChatCommand: Sendable {
    /// Sends a message. While there is no connection it waits in the outbox, in order; after a loss it is sent again with the same
    /// client id. Answered with `sent`, or with a failure once it is final: refused, time limit exceeded (``ChatMemory/sendLimit``),
    /// or given up by `disconnect`. Rules NS-10 to NS-16.
    case send(ChatMessageDraft)
    /// Makes any other request. Needs a connection; after a loss it is answered with category `unknown` (rule NS-17).
    case request(ChatRequest)
    /// Sends a typing notification; dropped without a connection.
    case typing(to: String, type: String)
    /// Stays in an open channel, over every reconnect. Answered with `entered`, or with the refusal.
    case enter(ChatEntryRequest)
    /// Leaves an open channel. Answered at once.
    case exit(String)
    /// Records that all events up to this position are stored and need not be sent again. The epoch is that of the latest
    /// ``ChatSessionEvent/welcomed(_:)`` before the command; a position of another epoch is ignored.
    case acknowledge(ChatPlace)
    /// Sets the token for the next connection.
    case setToken(String)
    /// Prepares a disconnect with this setting for push notifications. Answers the waiting messages, also without a link, because the
    /// engine alone could not distinguish messages that may have been delivered from others (rule NS-15).
    case leave(disablePush: Bool)
    /// Drops the messages whose lifetime has ended. During an attempt the session does this automatically; submit this to enforce the
    /// limit during a pause between attempts as well (rule NS-14).
    case expire
}

/// Answers to commands.
public enum ChatReply: Sendable {
    case sent(ChatSentMessage)
    case answer(ChatAnswer)
    indirect case entered(ChatOpenEntrance)
    case done
}

/// A message that the server has accepted.
public struct ChatSentMessage: Hashable, Sendable {
    public var clientID: String
    public var id: ChatMessageID

    public init(clientID: String, id: ChatMessageID) {
        self.clientID = clientID
        self.id = id
    }

    public var time: Int64 { id.time }
}

/// An event of a chat session.
public enum ChatSessionEvent: Sendable {
    /// The server has welcomed this connection. Emitted before the connection is announced as connected.
    indirect case welcomed(ChatWelcome)
    /// Events of the inbox, in order and without repetitions. `isOffline` is true for events of packages, `hasMore` when another
    /// package follows. The application has to acknowledge them with the command when they are stored; the server sends the next
    /// package only then.
    case received([ChatInboxItem], isOffline: Bool, hasMore: Bool)
    /// All missed messages have arrived.
    case caughtUp
    /// An event that is only relevant at the moment and not stored.
    case transient(ChatWireEvent)
    /// Messages of the inbox that were sent after `since` may be missing: the server could not continue at this device's position.
    case gap(since: Moment?)
    /// Messages of an open channel that were sent after `since` may be missing.
    case openGap(channel: String, since: Moment?)
    /// An open channel was entered again after a reconnect; its `messages` are those missed meanwhile.
    indirect case reentered(ChatOpenEntrance)
    /// An open channel could not be entered again, or was left by entering another one, and will not be tried again.
    case entryFailed(channel: String, ChatRequestRefusal)
    /// A frame that does not follow the protocol has arrived; the connection continues.
    case malformed(reason: String)
}
