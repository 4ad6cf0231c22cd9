import NIOCore
import ServerCluster

/// The keys of Pusher's maps and sorted sets in the store.
struct RecordKeys: Sendable {
    private let store: any ClusterReader
    /// Map from node, channel and user to the number of subscriptions, the order of joining, and the member's info.
    let subscriptions: StoreKey
    /// Map from node and socket id to a signed-in connection.
    let users: StoreKey
    /// Map from node and application with a limit to the number of connections.
    let connections: StoreKey
    /// Sorted set of users who have disconnected, ordered by the time of the disconnection.
    let offline: StoreKey
    /// Sorted set of vacated channels and members who have left, ordered by the time of the event. Webhooks report these events with a
    /// delay.
    let absences: StoreKey
    /// Map from number to a webhook event that no receiver has accepted yet.
    let webhooks: StoreKey
    /// Map of the histories that a leader hands over when it resigns.
    let histories: StoreKey
    /// Map from channel to the position of its history, written by the current leader.
    let positions: StoreKey
    /// Sorted set of cache channels with an event, ordered by the time when the event expires.
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

    /// The key of a cache channel's last event. It contains the length of the application's id, so that no two pairs of an id and a channel
    /// name have the same key.
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

// The types below encode names of fields and members in the store. These names must not change between versions, so they are encoded
// without field tags.

/// A stored name that consists of two values.
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

/// The stored name of a channel, or of one member of it.
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
    /// The number by which members are ordered: they are numbered in the order of joining.
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
            // The number is limited, so that the next number fits into 64 bits (rule CR-42).
            since: min(value.since, UInt64(Int64.max)))
    }
}
