import Identifiers

/// A message as the session carries it: event `msg` of the session document, section 5.
public struct NexconnMessage: Hashable, Sendable {
    public var id: NexconnMessageID
    public var conversation: NexconnConversation
    public var from: String
    /// The other user, the group or the open channel.
    public var to: String
    /// The name of the content's type, such as `RC:TxtMsg`.
    public var type: String
    /// The content: a JSON object in UTF-8.
    public var content: [UInt8]
    /// The sender's own id of the message.
    public var clientID: String?
    public var options: NexconnMessageOptions
    /// When it was last edited, ms since 1970.
    public var edited: Int64?
    /// The service that the message came from over the bridge, such as `pusher`.
    public var bridge: String?

    public init(
        id: NexconnMessageID, conversation: NexconnConversation, from: String, to: String, type: String, content: [UInt8],
        clientID: String? = nil, options: NexconnMessageOptions = .init(), edited: Int64? = nil, bridge: String? = nil
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

    /// Milliseconds since 1970, by the server's clock.
    public var time: Int64 { id.time }

    /// The channel of the message as `user` sees it.
    public func channel(for user: String) -> NexconnChannel {
        switch conversation {
        case .direct: NexconnChannel(.direct, from.isExactly(user) ? to : from)
        case .system: NexconnChannel(.system, from)
        case .group, .open: NexconnChannel(conversation, to)
        }
    }
}

/// A sender's options beyond the content. The defaults are those of the wire.
public struct NexconnMessageOptions: Hashable, Sendable {
    /// Whether it is in history.
    public var isPersisted = true
    /// Whether it counts as unread.
    public var isCounted = true
    /// Whether it is for connected devices only: in no inbox and in no history.
    public var isStatus = false
    public var needsReceipt = false
    public var isQuiet = false
    /// Whether it is not shown as its channel's latest message.
    public var isNotLatest = false
    public var metadata: [String: String] = [:]
    /// Only these members of a group get it; nil for all.
    public var users: [String]?
    /// For services that notify devices: a JSON object in UTF-8.
    public var push: [UInt8]?

    public init() {}
}

/// A message to send.
public struct NexconnDraft: Hashable, Sendable {
    /// 1 … 64 characters, new for each message: makes sending again safe.
    public var clientID: String
    public var conversation: NexconnConversation
    public var to: String
    public var type: String
    /// A JSON object in UTF-8, at most 128 KiB.
    public var content: [UInt8]
    public var options: NexconnMessageOptions

    public init(
        clientID: String, conversation: NexconnConversation, to: String, type: String, content: [UInt8],
        options: NexconnMessageOptions = .init()
    ) {
        self.clientID = clientID
        self.conversation = conversation
        self.to = to
        self.type = type
        self.content = content
        self.options = options
    }
}
