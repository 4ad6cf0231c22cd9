/// An event for a client: the kinds `k` of chat-protocol.md, sections 5 to 9.
public enum NexconnEvent: Hashable, Sendable {
    indirect case message(NexconnMessage)
    indirect case recall(NexconnRecall)
    indirect case edit(NexconnEdit)
    indirect case metadata(NexconnMetadataChange)
    indirect case receipt(NexconnReceipts)
    /// Another device of the same user has marked messages as read: unread messages are counted from `time` (ms) on.
    case read(NexconnChannel, time: Int64)
    /// Settings that another device of the same user changed. Without an id they apply to the whole kind.
    indirect case settings(NexconnChannelSettings)
    indirect case typing(from: String, to: String, type: String, time: Int64)
    indirect case group(NexconnGroupOperation)
    indirect case groupInfo(NexconnGroup, changed: [String], operator: String, time: Int64)
    indirect case groupMember(group: String, operator: String, NexconnGroupMember, time: Int64)
    indirect case openMembers(channel: String, actions: [NexconnOpenAction], count: Int, time: Int64)
    indirect case openMetadata(channel: String, changes: [NexconnOpenChange], time: Int64)
    indirect case openMute(NexconnOpenMute)
    indirect case openBan(channel: String, users: [String], duration: Int64, time: Int64)
    indirect case openDestroyed(channel: String, isManual: Bool, time: Int64)
    /// The user entered or left an open channel with another device.
    case openSync(channel: String, isJoin: Bool, isOtherDevice: Bool)
    case presence([NexconnPresence])
    /// An event of an unknown kind, or without a required member; `problem` describes the error, for people. It keeps its position in
    /// the inbox, so that it is acknowledged and not sent again.
    case unknown(kind: String, problem: String? = nil)
}

/// A message was recalled.
public struct NexconnRecall: Hashable, Sendable {
    public var conversation: NexconnConversation
    /// The id of the user who recalled the message.
    public var from: String
    public var to: String
    public var id: NexconnMessageID
    /// The original sender.
    public var sender: String
    public var time: Int64

    public init(
        conversation: NexconnConversation, from: String, to: String, id: NexconnMessageID, sender: String, time: Int64
    ) {
        self.conversation = conversation
        self.from = from
        self.to = to
        self.id = id
        self.sender = sender
        self.time = time
    }
}

/// The content of a message was replaced.
public struct NexconnEdit: Hashable, Sendable {
    public var conversation: NexconnConversation
    public var from: String
    public var to: String
    public var id: NexconnMessageID
    /// The new content: a JSON object in UTF-8.
    public var content: [UInt8]
    public var time: Int64

    public init(
        conversation: NexconnConversation, from: String, to: String, id: NexconnMessageID, content: [UInt8], time: Int64
    ) {
        self.conversation = conversation
        self.from = from
        self.to = to
        self.id = id
        self.content = content
        self.time = time
    }
}

/// A message's metadata changed.
public struct NexconnMetadataChange: Hashable, Sendable {
    public var conversation: NexconnConversation
    public var from: String
    public var to: String
    public var id: NexconnMessageID
    public var set: [String: String]
    public var deleted: [String]
    public var time: Int64

    public init(
        conversation: NexconnConversation, from: String, to: String, id: NexconnMessageID, set: [String: String],
        deleted: [String], time: Int64
    ) {
        self.conversation = conversation
        self.from = from
        self.to = to
        self.id = id
        self.set = set
        self.deleted = deleted
        self.time = time
    }
}

/// Read receipts of a user.
public struct NexconnReceipts: Hashable, Sendable {
    public var conversation: NexconnConversation
    /// The id of the user who has read the messages.
    public var from: String
    public var to: String
    public var items: [NexconnReceipt]
    public var time: Int64

    public init(conversation: NexconnConversation, from: String, to: String, items: [NexconnReceipt], time: Int64) {
        self.conversation = conversation
        self.from = from
        self.to = to
        self.items = items
        self.time = time
    }
}

/// How far a message has been read.
public struct NexconnReceipt: Hashable, Sendable {
    public var id: NexconnMessageID
    public var read: Int
    public var unread: Int
    public var total: Int

    public init(id: NexconnMessageID, read: Int, unread: Int, total: Int) {
        self.id = id
        self.read = read
        self.unread = unread
        self.total = total
    }
}

/// Settings of a channel, or, without an id, of all channels of a kind. Nil leaves a setting unchanged.
public struct NexconnChannelSettings: Hashable, Sendable {
    public var conversation: NexconnConversation
    public var id: String?
    public var isPinned: Bool?
    /// The level of notifications (chat-protocol.md, section 6).
    public var level: Int?

    public init(conversation: NexconnConversation, id: String?, isPinned: Bool? = nil, level: Int? = nil) {
        self.conversation = conversation
        self.id = id
        self.isPinned = isPinned
        self.level = level
    }
}

/// Online status of a user.
public struct NexconnPresence: Hashable, Sendable {
    public var user: String
    public var isOnline: Bool
    public var time: Int64

    public init(user: String, isOnline: Bool, time: Int64) {
        self.user = user
        self.isOnline = isOnline
        self.time = time
    }
}
