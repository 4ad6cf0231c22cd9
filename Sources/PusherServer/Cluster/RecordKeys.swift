import NIOCore
import ServerCluster

/// The names of Pusher's collections in the store.
struct RecordKeys: Sendable {
    private let store: any ClusterReader
    /// Map: node, channel and user ↦ number of subscriptions, order of joining, and the member's info.
    let subscriptions: StoreKey
    /// Map: node and socket id ↦ a signed-in connection.
    let users: StoreKey
    /// Map: node and application with a limit ↦ number of connections.
    let connections: StoreKey
    /// Sorted set: users who have disconnected, by the time when they did.
    let offline: StoreKey
    /// Sorted set: channels and members whose leaving is reported to webhooks with a delay, by the time when they left.
    let absences: StoreKey
    /// Map: webhook events that no receiver has accepted, by number.
    let webhooks: StoreKey
    /// Map: the histories that a leader hands over when it resigns.
    let histories: StoreKey
    /// Map: channel with a history ↦ its position, written by the present leader.
    let positions: StoreKey
    /// Sorted set: cache channels with an event, by the time when the event expires.
    let cacheIndex: StoreKey

    init(_ store: any ClusterReader) {
        self.store = store
        subscriptions = store.key("pusher:subscriptions")
        users = store.key("pusher:users")
        connections = store.key("pusher:connections")
        offline = store.key("pusher:offline")
        absences = store.key("pusher:absences")
        webhooks = store.key("pusher:webhooks")
        histories = store.key("pusher:histories")
        positions = store.key("pusher:positions")
        cacheIndex = store.key("pusher:cached")
    }

    /// The last event of a cache channel. The key contains the length of the application's id, so that no two pairs of an id and a
    /// channel name have the same key.
    func cached(_ channel: ChannelID) -> StoreKey {
        store.key("pusher:cached:\(channel.application.utf8.count):\(channel.application):\(channel.name)")
    }

    static func field(_ socketID: SocketID, of node: ClusterNode) -> ByteBuffer {
        PairName(node, socketID).encoded(.sequence)
    }

    static func connections(of application: String, at node: ClusterNode) -> ByteBuffer {
        PairName(node, application).encoded(.sequence)
    }

    static func user(_ connection: SignedInConnection) -> ByteBuffer {
        PairName(connection.application, connection.user).encoded(.sequence)
    }

    static func absence(of user: String?, from channel: ChannelID) -> ByteBuffer {
        MemberName(channel: channel, user: user).encoded(.sequence)
    }
}

// What follows names fields and members in the store: names stay the same in all versions, so they are in the layout without tags.

/// A name of two parts.
struct PairName<First: CodedValue, Second: CodedValue>: CodedValue {
    var first: First
    var second: Second

    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(try fields.field(1, value?.first), try fields.field(2, value?.second))
    }
}

/// A channel, or one of its members.
struct MemberName: CodedValue {
    var channel: ChannelID
    var user: String?

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(channel: try fields.field(1, value?.channel), user: try fields.optional(2, value?.user))
    }
}

/// A node's subscriptions to a channel, as stored.
struct KeptHolding: Hashable, Sendable {
    var node: ClusterNode
    var holding: ChannelHolding
    /// The order in which members have joined.
    var since: UInt64

    private struct Value: CodedValue {
        var since: UInt64
        var count: UInt32
        var info: String?

        static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
            Self(
                since: try fields.field(1, value?.since), count: try fields.field(2, value?.count),
                info: try fields.optional(3, value?.info))
        }
    }

    var field: ByteBuffer {
        PairName(node, MemberName(channel: holding.channel, user: holding.member?.userID)).encoded(.sequence)
    }

    var value: ByteBuffer { value(.written) }

    func value(_ layout: CodingLayout) -> ByteBuffer {
        Value(since: since, count: UInt32(clamping: holding.count), info: holding.member?.info).encoded(layout)
    }

    init(node: ClusterNode, holding: ChannelHolding, since: UInt64) {
        self.node = node
        self.holding = holding
        self.since = since
    }

    init(field: ByteBuffer, value: ByteBuffer) throws(ClusterCodingError) {
        let name = try PairName<ClusterNode, MemberName>(decodingName: field)
        let value = try Value(decoding: value)
        let member = name.second.user.map { PresenceMember(userID: $0, info: value.info) }
        self.init(
            node: name.first,
            holding: ChannelHolding(channel: name.second.channel, member: member, count: ChannelHolding.count(value.count)),
            // The next number has to fit (rule CR-42).
            since: min(value.since, UInt64(Int64.max)))
    }
}
