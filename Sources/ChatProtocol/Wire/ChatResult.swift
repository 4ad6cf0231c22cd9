/// The result of a request, from which the server writes a positive answer. Clients read the answer with ``ChatAnswer``.
///
/// Messages are the stored, encoded events, so that a page of history is copied and not encoded anew.
public enum ChatResult: Hashable, Sendable {
    /// The request is complete, and its answer has no further data.
    case done
    /// The result of `send`. `sequence` is the message's sequence number in the sender's own inbox; nil if it is not in that inbox.
    case sent(ChatMessageID, sequence: UInt64? = nil)
    /// The result of `edit`: the time of the edit, in ms since 1970.
    case edited(time: Int64)
    /// The result of a group request: 0 when the operation is complete.
    case process(Int)
    case receipts([ChatReadCounts])
    case receiptUsers([ChatReceiptUser])
    /// The result of `history`: encoded `msg` events, in the requested order.
    case history([[UInt8]], hasMore: Bool)
    case settings(ChatSettingsList)
    case groups([ChatGroup])
    case groupPage([ChatGroup], hasMore: Bool)
    case members([ChatGroupMember], hasMore: Bool)
    /// The result of `open.enter`. The answer has the encoded `messages`, oldest first, and not those of the `ChatOpenEntrance`.
    indirect case entrance(ChatOpenEntrance, messages: [[UInt8]])
    case openInfo(ChatOpenInfo)
    case openMetadata([ChatOpenEntry])
    case users([ChatUser])
    /// The result of `user.subscribe`: the users whose subscription would exceed a limit.
    case failed([String])
    case subscriptions([ChatSubscription])
    case blocklist([String])
}

/// A user who has read a message.
public struct ChatReceiptUser: Hashable, Sendable {
    public var user: String
    /// The time when the user read the message, in milliseconds since 1970.
    public var time: Int64

    public init(user: String, time: Int64) {
        self.user = user
        self.time = time
    }
}

/// All settings that a user has for channels (chat-protocol.md, section 6).
public struct ChatSettingsList: Hashable, Sendable {
    /// Settings of single channels.
    public var channels: [ChatChannelSettings]
    /// Settings of whole kinds of channels; their `id` is nil.
    public var kinds: [ChatChannelSettings]

    public init(channels: [ChatChannelSettings] = [], kinds: [ChatChannelSettings] = []) {
        self.channels = channels
        self.kinds = kinds
    }
}

/// The properties of an open channel (chat-protocol.md, section 8).
public struct ChatOpenInfo: Hashable, Sendable {
    /// The time when the channel was created, in milliseconds since 1970.
    public var created: Int64
    public var count: Int
    public var members: [ChatOpenMember]

    public init(created: Int64, count: Int, members: [ChatOpenMember] = []) {
        self.created = created
        self.count = count
        self.members = members
    }
}

/// A participant of an open channel.
public struct ChatOpenMember: Hashable, Sendable {
    public var user: String
    /// The time when the user entered, in milliseconds since 1970.
    public var entered: Int64

    public init(user: String, entered: Int64) {
        self.user = user
        self.entered = entered
    }
}

/// A user's profile, as other users get it (chat-protocol.md, section 9).
public struct ChatUser: Hashable, Sendable {
    public var user: String
    public var name: String?
    public var avatar: String?
    public var extra: [String: String]

    public init(user: String, name: String? = nil, avatar: String? = nil, extra: [String: String] = [:]) {
        self.user = user
        self.name = name
        self.avatar = avatar
        self.extra = extra
    }
}

/// A subscription to another user's online status. Times are milliseconds since 1970.
public struct ChatSubscription: Hashable, Sendable {
    public var user: String
    public var subscribed: Int64
    public var expires: Int64

    public init(user: String, subscribed: Int64, expires: Int64) {
        self.user = user
        self.subscribed = subscribed
        self.expires = expires
    }
}
