/// The result of a request: the members of a successful answer, as the server writes them. Clients read them with ``NexconnAnswer``.
///
/// Messages are the stored bodies of their events, so that a page of history is copied and not encoded anew.
public enum NexconnResult: Hashable, Sendable {
    /// The request was done, and there is no further data.
    case done
    /// To `send`. `sequence` is the message's sequence number in the sender's own inbox, if it is there.
    case sent(NexconnMessageID, sequence: UInt64? = nil)
    /// To `edit`: the time of the edit, ms since 1970.
    case edited(time: Int64)
    /// To group requests: 0 when it is done.
    case process(Int)
    case receipts([NexconnReceipt])
    case receiptUsers([NexconnReceiptUser])
    /// To `history`: bodies of `msg` events, in the requested order.
    case history([[UInt8]], hasMore: Bool)
    case settings(NexconnSettingsList)
    case groups([NexconnGroup])
    case groupPage([NexconnGroup], hasMore: Bool)
    case members([NexconnGroupMember], hasMore: Bool)
    /// The answer to `open.enter`. The messages are taken from `messages`, oldest first; those of the entrance are ignored.
    indirect case entrance(NexconnOpenEntrance, messages: [[UInt8]])
    case openInfo(NexconnOpenInfo)
    case openMetadata([NexconnOpenEntry])
    case users([NexconnUser])
    /// To `user.subscribe`: the users beyond a limit.
    case failed([String])
    case subscriptions([NexconnSubscription])
    case blocklist([String])
}

/// A user who has read a message.
public struct NexconnReceiptUser: Hashable, Sendable {
    public var user: String
    /// When the user has read the message, milliseconds since 1970.
    public var time: Int64

    public init(user: String, time: Int64) {
        self.user = user
        self.time = time
    }
}

/// All settings of a user's channels (chat-protocol.md, section 6).
public struct NexconnSettingsList: Hashable, Sendable {
    /// Settings of single channels.
    public var channels: [NexconnChannelSettings]
    /// Settings of whole conversation kinds; `id` is nil.
    public var kinds: [NexconnChannelSettings]

    public init(channels: [NexconnChannelSettings] = [], kinds: [NexconnChannelSettings] = []) {
        self.channels = channels
        self.kinds = kinds
    }
}

/// The properties of an open channel (chat-protocol.md, section 8).
public struct NexconnOpenInfo: Hashable, Sendable {
    /// When the channel was created, milliseconds since 1970.
    public var created: Int64
    public var count: Int
    public var members: [NexconnOpenMember]

    public init(created: Int64, count: Int, members: [NexconnOpenMember] = []) {
        self.created = created
        self.count = count
        self.members = members
    }
}

/// A participant of an open channel.
public struct NexconnOpenMember: Hashable, Sendable {
    public var user: String
    /// When the user entered, milliseconds since 1970.
    public var entered: Int64

    public init(user: String, entered: Int64) {
        self.user = user
        self.entered = entered
    }
}

/// A user as others see them (chat-protocol.md, section 9).
public struct NexconnUser: Hashable, Sendable {
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
public struct NexconnSubscription: Hashable, Sendable {
    public var user: String
    public var subscribed: Int64
    public var expires: Int64

    public init(user: String, subscribed: Int64, expires: Int64) {
        self.user = user
        self.subscribed = subscribed
        self.expires = expires
    }
}
