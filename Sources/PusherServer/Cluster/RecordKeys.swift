import NIOCore
import RedisClient
import ServerCluster

/// The names of Pusher's keys in Redis.
struct RecordKeys: Sendable {
    private let store: any ClusterReader
    /// Hash: node, channel and user ↦ number of subscriptions, order of joining, and the member's info.
    let subscriptions: RedisArgument
    /// Hash: node and socket id ↦ a signed-in connection.
    let users: RedisArgument
    /// Hash: node and application with a limit ↦ number of connections.
    let connections: RedisArgument
    /// Sorted set: users who have disconnected, by the time when they did.
    let offline: RedisArgument
    /// Sorted set: channels and members whose leaving is reported to webhooks with a delay, by the time when they left.
    let absences: RedisArgument
    /// Hash: webhook events that no receiver has accepted, by number.
    let webhooks: RedisArgument
    /// Hash: the histories that a leader hands over when it resigns.
    let histories: RedisArgument
    /// Hash: channel with a history ↦ its position, written by the present leader.
    let positions: RedisArgument
    /// Sorted set: cache channels with an event, by the time when the event expires.
    let cacheIndex: RedisArgument

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
    func cached(_ channel: ChannelID) -> RedisArgument {
        store.key("pusher:cached:\(channel.application.utf8.count):\(channel.application):\(channel.name)")
    }

    static func field(_ socketID: SocketID, of node: ClusterNode) -> ByteBuffer {
        var field = ByteBuffer()
        field.write(node: node)
        field.write(socketID: socketID)
        return field
    }

    static func connections(of application: String, at node: ClusterNode) -> ByteBuffer {
        var field = ByteBuffer()
        field.write(node: node)
        field.write(text: application)
        return field
    }

    static func user(_ connection: SignedInConnection) -> ByteBuffer {
        var member = ByteBuffer()
        member.write(text: connection.application)
        member.write(text: connection.user)
        return member
    }

    static func absence(of user: String?, from channel: ChannelID) -> ByteBuffer {
        var member = ByteBuffer()
        member.write(channel: channel)
        member.write(optional: user) { $0.write(text: $1) }
        return member
    }
}

/// A node's subscriptions to a channel, as stored in Redis.
struct KeptHolding: Hashable, Sendable {
    var node: ClusterNode
    var holding: ChannelHolding
    /// The order in which members have joined.
    var since: UInt64

    var field: ByteBuffer {
        var field = ByteBuffer()
        field.write(node: node)
        field.write(channel: holding.channel)
        field.write(optional: holding.member?.userID) { $0.write(text: $1) }
        return field
    }

    var value: ByteBuffer {
        var value = ByteBuffer()
        value.writeInteger(since)
        value.writeInteger(UInt32(clamping: holding.count))
        value.write(optional: holding.member?.info) { $0.write(text: $1) }
        return value
    }

    init(node: ClusterNode, holding: ChannelHolding, since: UInt64) {
        self.node = node
        self.holding = holding
        self.since = since
    }

    init(field: ByteBuffer, value: ByteBuffer) throws(ClusterCodingError) {
        var (field, value) = (field, value)
        let node = try field.node()
        let channel = try field.channel()
        let user = try field.optional { (buffer) throws(ClusterCodingError) in try buffer.text() }
        let since = try value.number(UInt64.self)
        let count = Int(try value.number(UInt32.self))
        let info = try value.optional { (buffer) throws(ClusterCodingError) in try buffer.text() }
        self.init(
            node: node,
            holding: ChannelHolding(channel: channel, member: user.map { PresenceMember(userID: $0, info: info) }, count: count),
            since: since)
    }
}
