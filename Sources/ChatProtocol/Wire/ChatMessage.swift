import Identifiers

/// A message in the form that sessions exchange: the event `msg` of chat-protocol.md, section 5.
public struct ChatMessage: Hashable, Sendable {
    public var id: ChatMessageID
    public var conversation: ChatConversationKind
    public var from: String
    /// The receiver: the other user, the group or the open channel.
    public var to: String
    /// The name of the content's type, such as `RC:TxtMsg`.
    public var type: String
    /// The content: a JSON object in UTF-8.
    public var content: [UInt8]
    /// The sender's own id of the message.
    public var clientID: String?
    public var options: ChatMessageOptions
    /// The time of the last edit, in ms since 1970; nil if the message was never edited.
    public var edited: Int64?
    /// The service from which the bridge has taken the message, such as `pusher`; nil for a message of chat itself.
    public var bridge: String?

    public init(
        id: ChatMessageID, conversation: ChatConversationKind, from: String, to: String, type: String, content: [UInt8],
        clientID: String? = nil, options: ChatMessageOptions = .init(), edited: Int64? = nil, bridge: String? = nil
    ) {
        self.id = id
        self.conversation = conversation
        self.from = from
        self.to = to
        self.type = type
        self.content = content
        self.clientID = clientID
        self.options = options
        self.edited = edited
        self.bridge = bridge
    }

    /// The message's time in milliseconds since 1970, by the server's clock.
    public var time: Int64 { id.time }

    /// The channel of the message from the view of `user`.
    public func channel(for user: String) -> ChatChannel {
        switch conversation {
        case .direct: ChatChannel(.direct, from.isExactly(user) ? to : from)
        case .system: ChatChannel(.system, from)
        case .group, .open: ChatChannel(conversation, to)
        }
    }
}

/// The options that a sender sets beside the content. The defaults are those of the protocol.
public struct ChatMessageOptions: Hashable, Sendable {
    /// Whether the message is stored in the history.
    public var isPersisted = true
    /// Whether the message counts as unread.
    public var isCounted = true
    /// Whether only connected devices get the message. Such a message is neither in an inbox nor in the history.
    public var isStatus = false
    public var needsReceipt = false
    public var isQuiet = false
    /// Whether the message is never shown as its channel's latest message.
    public var isNotLatest = false
    public var metadata: [String: String] = [:]
    /// The members of a group who get the message; nil for all members.
    public var users: [String]?
    /// Data for push services: a JSON object in UTF-8.
    public var push: [UInt8]?

    public init() {}
}

/// A message to send.
public struct ChatMessageDraft: Hashable, Sendable {
    /// The client's id of the message: 1 to 64 characters, new for each message. By this id the server recognises a message that is sent
    /// again, and does not deliver it twice.
    public var clientID: String
    public var conversation: ChatConversationKind
    public var to: String
    public var type: String
    /// The content: a JSON object in UTF-8, at most 128 KiB.
    public var content: [UInt8]
    public var options: ChatMessageOptions

    public init(
        clientID: String, conversation: ChatConversationKind, to: String, type: String, content: [UInt8],
        options: ChatMessageOptions = .init()
    ) {
        self.clientID = clientID
        self.conversation = conversation
        self.to = to
        self.type = type
        self.content = content
        self.options = options
    }
}
