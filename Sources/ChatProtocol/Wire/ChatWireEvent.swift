/// An event for a client, with one case for each kind `k` of chat-protocol.md, sections 5 to 9.
public enum ChatWireEvent: Hashable, Sendable {
    indirect case message(ChatMessage)
    indirect case recall(ChatRecall)
    indirect case edit(ChatEdit)
    indirect case metadata(ChatMetadataChange)
    indirect case receipt(ChatReceipts)
    /// Another device of the same user has marked messages as read. Only messages later than `time` (ms) still count as unread.
    case read(ChatChannel, time: Int64)
    /// Another device of the same user has changed channel settings. Settings without an id apply to all channels of the kind.
    indirect case settings(ChatChannelSettings)
    indirect case typing(from: String, to: String, type: String, time: Int64)
    indirect case group(ChatGroupOperation)
    indirect case groupInfo(ChatGroup, changed: [String], operator: String, time: Int64)
    indirect case groupMember(group: String, operator: String, ChatGroupMember, time: Int64)
    indirect case openMembers(channel: String, actions: [ChatWireOpenAction], count: Int, time: Int64)
    indirect case openMetadata(channel: String, changes: [ChatOpenChange], time: Int64)
    indirect case openMute(ChatOpenMute)
    indirect case openBan(channel: String, users: [String], duration: Int64, time: Int64)
    indirect case openDestroyed(channel: String, isManual: Bool, time: Int64)
    /// Another device of the user has entered or left an open channel.
    case openSync(channel: String, isJoin: Bool, isOtherDevice: Bool)
    case presence([ChatOnlineStatus])
    /// An event of an unknown kind, or one that lacks a required member. `problem` describes the error for people. The event keeps its
    /// position in the inbox, so that it is acknowledged and not sent again.
    case unknown(kind: String, problem: String? = nil)
}

/// The event that a message was recalled.
public struct ChatRecall: Hashable, Sendable {
    public var conversation: ChatConversationKind
    /// The id of the user who recalled the message.
    public var from: String
    public var to: String
    public var id: ChatMessageID
    /// The original sender.
    public var sender: String
    public var time: Int64

    public init(
        conversation: ChatConversationKind, from: String, to: String, id: ChatMessageID, sender: String, time: Int64
    ) {
        self.conversation = conversation
        self.from = from
        self.to = to
        self.id = id
        self.sender = sender
        self.time = time
    }
}

/// The event that the content of a message was replaced.
public struct ChatEdit: Hashable, Sendable {
    public var conversation: ChatConversationKind
    public var from: String
    public var to: String
    public var id: ChatMessageID
    /// The new content: a JSON object in UTF-8.
    public var content: [UInt8]
    public var time: Int64

    public init(
        conversation: ChatConversationKind, from: String, to: String, id: ChatMessageID, content: [UInt8], time: Int64
    ) {
        self.conversation = conversation
        self.from = from
        self.to = to
        self.id = id
        self.content = content
        self.time = time
    }
}

/// The event that a message's metadata was changed.
public struct ChatMetadataChange: Hashable, Sendable {
    public var conversation: ChatConversationKind
    public var from: String
    public var to: String
    public var id: ChatMessageID
    public var set: [String: String]
    public var deleted: [String]
    public var time: Int64

    public init(
        conversation: ChatConversationKind, from: String, to: String, id: ChatMessageID, set: [String: String],
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

/// The event that a user has read messages, for their senders.
public struct ChatReceipts: Hashable, Sendable {
    public var conversation: ChatConversationKind
    /// The id of the user who has read the messages.
    public var from: String
    public var to: String
    public var items: [ChatReadCounts]
    public var time: Int64

    public init(conversation: ChatConversationKind, from: String, to: String, items: [ChatReadCounts], time: Int64) {
        self.conversation = conversation
        self.from = from
        self.to = to
        self.items = items
        self.time = time
    }
}

/// The numbers of users who have read a message and who have not.
public struct ChatReadCounts: Hashable, Sendable {
    public var id: ChatMessageID
    public var read: Int
    public var unread: Int
    public var total: Int

    public init(id: ChatMessageID, read: Int, unread: Int, total: Int) {
        self.id = id
        self.read = read
        self.unread = unread
        self.total = total
    }
}

/// Settings of a channel, or of all channels of a kind if `id` is nil. A setting with the value nil stays unchanged.
public struct ChatChannelSettings: Hashable, Sendable {
    public var conversation: ChatConversationKind
    public var id: String?
    public var isPinned: Bool?
    /// The level of notifications (chat-protocol.md, section 6).
    public var level: Int?

    public init(conversation: ChatConversationKind, id: String?, isPinned: Bool? = nil, level: Int? = nil) {
        self.conversation = conversation
        self.id = id
        self.isPinned = isPinned
        self.level = level
    }
}

/// The online status of a user.
public struct ChatOnlineStatus: Hashable, Sendable {
    public var user: String
    public var isOnline: Bool
    public var time: Int64

    public init(user: String, isOnline: Bool, time: Int64) {
        self.user = user
        self.isOnline = isOnline
        self.time = time
    }
}
