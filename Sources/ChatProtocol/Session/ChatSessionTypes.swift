import ConnectionEngine

/// A command of a user to a chat session.
public enum ChatCommand: Sendable {
    /// Sends a message. Without a connection the message waits in the outbox, in order. After a lost connection it is sent again with the
    /// same client id. The command is answered with `sent`, or with a failure if the message will not be sent any more: the message was
    /// refused, its time limit (``ChatMemory/sendLimit``) has ended, or `disconnect` was called (rules NS-10 to NS-16).
    case send(ChatMessageDraft)
    /// Sends a request of any other kind. It needs a connection. If the connection is lost, the command fails with category `unknown` (rule
    /// NS-17).
    case request(ChatRequest)
    /// Sends a typing notification. Without a connection it is dropped.
    case typing(to: String, type: String)
    /// Enters an open channel, and enters it again after every reconnect. Answered with `entered`, or with the server's refusal.
    case enter(ChatEntryRequest)
    /// Leaves an open channel. The command is answered at once.
    case exit(String)
    /// Records that the application has stored all events up to this position, so that the server need not send them again. The position
    /// belongs to the epoch of the latest ``ChatSessionEvent/welcomed(_:)``; a position of another epoch is ignored.
    case acknowledge(ChatPlace)
    /// Sets the token for the next connection.
    case setToken(String)
    /// Prepares a disconnect with this setting for push notifications. It answers the waiting messages with a failure, also without a
    /// connection. The engine cannot do this alone: only the session has recorded which messages may have been delivered (rule NS-15).
    case leave(disablePush: Bool)
    /// Ends the messages whose time limit is over: their commands are answered with a failure. The session does this by itself while it
    /// connects or is connected. Submit the command to enforce the limit during a pause between attempts as well (rule NS-14).
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
    /// The server has welcomed this connection. This event comes before the connection is reported as connected.
    indirect case welcomed(ChatWelcome)
    /// Events of the inbox, in order and without repetitions. `isOffline` is true for missed events, which arrive in packages. `hasMore` is
    /// true when another package follows. The server sends the next package only after the application has stored these events and has
    /// acknowledged them with the command `acknowledge`.
    case received([ChatInboxItem], isOffline: Bool, hasMore: Bool)
    /// All missed messages have arrived.
    case caughtUp
    /// An event that the server does not store, such as a typing notification.
    case transient(ChatWireEvent)
    /// Messages of the inbox that were sent after `since` may be missing, because the server could not continue at this device's position.
    case gap(since: Moment?)
    /// Messages of an open channel that were sent after `since` may be missing.
    case openGap(channel: String, since: Moment?)
    /// An open channel was entered again after a reconnect. Its `messages` are the messages that were missed.
    indirect case reentered(ChatOpenEntrance)
    /// An open channel could not be entered again, or was left because the user entered another channel. The session does not try to enter
    /// it again.
    case entryFailed(channel: String, ChatRequestRefusal)
    /// The server has sent a frame that violates the protocol. The connection continues.
    case malformed(reason: String)
}
