import ChatProtocol

/// A message as it is stored on this device.
public struct LocalMessage: Hashable, Sendable {
    /// The number of the message on this device. The database assigns it, in strictly increasing order.
    public var localID: Int64
    public var channel: ChatChannel
    /// The server's id of the message; nil until the server has accepted it.
    public var id: ChatMessageID?
    /// The sender's own id of the message, by which the server recognises a repetition.
    public var clientID: String?
    public var sender: String
    public var isSent: Bool
    public var status: LocalMessageStatus
    /// The time when the message was sent, in milliseconds since 1970: by the server's clock, or by this device's clock until the server
    /// has accepted the message.
    public var sentTime: Int64
    public var receivedTime: Int64
    public var type: String
    /// The content: a JSON object in UTF-8.
    public var content: [UInt8]
    public var options: ChatMessageOptions
    /// Whether the user has read (bit 1), listened to (2) and downloaded (4) the message.
    public var received: Int
    public var edited: Int64?
    /// A text of the application that is stored on this device only.
    public var localExtra: String
    /// Whether this user has sent a read receipt to the sender.
    public var hasSentReceipt: Bool
    /// For an own message: how many users have read it and how many have not; nil until the first read receipt arrives.
    public var receipt: LocalReceipt?

    public init(
        localID: Int64 = 0, channel: ChatChannel, id: ChatMessageID? = nil, clientID: String? = nil, sender: String,
        isSent: Bool, status: LocalMessageStatus, sentTime: Int64, receivedTime: Int64 = 0, type: String, content: [UInt8],
        options: ChatMessageOptions = .init(), received: Int = 0, edited: Int64? = nil, localExtra: String = "",
        hasSentReceipt: Bool = false, receipt: LocalReceipt? = nil
    ) {
        self.localID = localID
        self.channel = channel
        self.id = id
        self.clientID = clientID
        self.sender = sender
        self.isSent = isSent
        self.status = status
        self.sentTime = sentTime
        self.receivedTime = receivedTime
        self.type = type
        self.content = content
        self.options = options
        self.received = received
        self.edited = edited
        self.localExtra = localExtra
        self.hasSentReceipt = hasSentReceipt
        self.receipt = receipt
    }
}

/// The numbers of users who have read a message and who have not.
public struct LocalReceipt: Hashable, Sendable {
    public var read: Int
    public var unread: Int
    public var total: Int

    public init(read: Int, unread: Int, total: Int) {
        self.read = read
        self.unread = unread
        self.total = total
    }
}

/// The sending status of a message. The raw values are those of the vendor's API.
public enum LocalMessageStatus: Int, Hashable, Sendable {
    case sending = 10
    case failed = 20
    case sent = 30
    case received = 40
    case read = 50
    case destroyed = 60
    case cancelled = 70
}

/// A channel in the list of channels.
public struct LocalChannel: Hashable, Sendable {
    public var channel: ChatChannel
    public var unread: Int
    public var mentions: Int
    public var isPinned: Bool
    public var level: Int
    /// The time of the channel's last operation, in milliseconds since 1970. Channels that are not pinned are sorted by it.
    public var operationTime: Int64
    public var draft: String
    public var latest: LocalMessage?
    /// Messages up to this time (ms) count as read.
    public var readTime: Int64

    public init(
        channel: ChatChannel, unread: Int = 0, mentions: Int = 0, isPinned: Bool = false, level: Int = 0,
        operationTime: Int64 = 0, draft: String = "", latest: LocalMessage? = nil, readTime: Int64 = 0
    ) {
        self.channel = channel
        self.unread = unread
        self.mentions = mentions
        self.isPinned = isPinned
        self.level = level
        self.operationTime = operationTime
        self.draft = draft
        self.latest = latest
        self.readTime = readTime
    }
}
