/// The result of a request: the members of a successful answer, as the server writes them. Clients read them with ``ChatAnswer``.
///
/// Messages are the stored bodies of their events, so that a page of history is copied and not encoded anew.
public enum ChatResult: Hashable, Sendable {
    /// The request was done, and there is no further data.
    case done
    /// To `send`. `sequence` is the message's sequence number in the sender's own inbox, if it is there.
    case sent(ChatMessageID, sequence: UInt64? = nil)
    /// To `edit`: the time of the edit, ms since 1970.
    case edited(time: Int64)
    /// To group requests: 0 when it is done.
    case process(Int)
    case receipts([ChatReadCounts])
    case receiptUsers([ChatReceiptUser])
    /// To `history`: bodies of `msg` events, in the requested order.
    case history([[UInt8]], hasMore: Bool)
    case settings(ChatSettingsList)
    case groups([ChatGroup])
    case groupPage([ChatGroup], hasMore: Bool)
    case members([ChatGroupMember], hasMore: Bool)
    /// The answer to `open.enter`. The messages are taken from `messages`, oldest first; those of the entrance are ignored.
    indirect case entrance(ChatOpenEntrance, messages: [[UInt8]])
    case openInfo(ChatOpenInfo)
    case openMetadata([ChatOpenEntry])
    case users([ChatUser])
    /// To `user.subscribe`: the users beyond a limit.
    case failed([String])
    case subscriptions([ChatSubscription])
    case blocklist([String])
}

/// A user who has read a message.
public struct ChatReceiptUser: Hashable, Sendable {
    public var user: String
    /// When the user has read the message, milliseconds since 1970.
    public var time: Int64

    public init(user: String, time: Int64) {
        self.user = user
        self.time = time
    }
}

/// All settings of a user's channels (chat-protocol.md, section 6).
public struct ChatSettingsList: Hashable, Sendable {
    /// Settings of single channels.
    public var channels: [ChatChannelSettings]
    /// Settings of whole conversation kinds; `id` is nil.
    public var kinds: [ChatChannelSettings]

    public init(channels: [ChatChannelSettings] = [], kinds: [ChatChannelSettings] = []) {
        self.channels = channels
        self.kinds = kinds
    }
}

/// The properties of an open channel (chat-protocol.md, section 8).
public struct ChatOpenInfo: Hashable, Sendable {
    /// When the channel was created, milliseconds since 1970.
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
    /// When the user entered, milliseconds since 1970.
    public var entered: Int64

    public init(user: String, entered: Int64) {
        self.user = user
        self.entered = entered
    }
}

/// A user as others see them (chat-protocol.md, section 9).
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
