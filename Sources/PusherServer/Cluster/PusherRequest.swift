import NIOCore
import ServerCluster
import ServerRuntime
import ServerStorage

/// A request from a node to the leader of Pusher, or a part of a node's announcement of its connections and subscriptions (rule CP-1).
enum PusherRequest: Sendable {
    /// A request of the HTTP API that the leader answers completely.
    case http(HTTPRequest)
    case publish(ForwardedPublication)
    /// A client event, to be delivered to the other subscribers of its channel.
    case relay(PusherClientEvent, application: String, sender: SocketID)
    /// A subscription of one connection. The recovery value is set for connections with recovery.
    case subscribe(SocketID, ChannelID, member: PresenceMember?, SubscriptionRecovery? = nil)
    /// A subscription to a presence channel, sent by a node that can add the member list to the confirmation. Sent only to leaders that
    /// have announced ``PusherFact/takesJoins``.
    case join(SocketID, ChannelID, member: PresenceMember, SubscriptionRecovery? = nil)
    /// Several subscriptions of one connection, without members and recovery. The leader answers each one with
    /// ``PusherFact/settled(_:_:)``.
    case subscribeAll(SocketID, application: String, [BatchedSubscription])
    /// The ends of several subscriptions of one connection.
    case unsubscribe(application: String, [EndedHolding], isSilent: Bool)
    case signIn(SignedInConnection, answers: [ByteBuffer])
    case signOut(SocketID, application: String)
    case close(PusherCloseReason, application: String, user: String?)
    /// Requests permission for connections of an application with a limit of connections. The answer is the number of permitted ones.
    case places(ApplicationCount)
    /// For each application, the number of connections that were opened without a request for permission; negative for closed ones.
    case connectionChanges([ApplicationCount])
    /// A part of the node's announcement: how many connections of each application the node has.
    case connections([ApplicationCount])
    /// A part of the node's announcement: its subscriptions.
    case holdings([ChannelHolding])
    /// A part of the node's announcement: its signed-in connections.
    case users([SignedInConnection])
    /// A part of the node's announcement: the channels that have subscribers with recovery on this node.
    case recovering([ChannelID])
    /// A request of the HTTP API, or the part of it that concerns one of several partitions. The answer is a ``PartitionAnswer``.
    case partition(PartitionRequest)
    /// Events of the HTTP API. The answer is a ``PartitionAnswer``. Sent only to leaders that have announced ``PusherFact/takesEvents``.
    case events(EncodedEvents)
}

/// One of several subscriptions of a connection.
struct BatchedSubscription: Hashable, Sendable {
    /// The number by which the node identifies the subscription.
    var number: UInt64
    var channel: String
}

/// One subscription that a connection has ended.
struct EndedHolding: Hashable, Sendable {
    var channel: String
    /// The user id of the member, on a presence channel.
    var user: String?
}

/// The subscriptions of one node to a channel; on a presence channel, those of one user.
struct ChannelHolding: Hashable, Sendable {
    var channel: ChannelID
    var member: PresenceMember?
    var count: Int
}

/// A signed-in connection.
struct SignedInConnection: Hashable, Sendable {
    var socketID: SocketID
    var application: String
    var user: String
    var watchlist: [String]
}

/// An event that the application's server has published, or another service of this server.
struct ForwardedPublication: Hashable, Sendable {
    var channel: ChannelID
    var frame: ByteBuffer
    var excluding: SocketID?
    var event: String?
    var data: String?
    /// How long a cache channel keeps the event, in milliseconds; nil for other channels.
    var lifetime: Int64?
    /// Whether the event is passed to the server's other services, such as PubNub, that share the channel with Pusher.
    var isBridged: Bool
}

extension ForwardedPublication {
    init(_ publication: ChannelPublication, at now: MonotonicInstant) {
        self.init(
            channel: publication.channel, frame: publication.frame, excluding: publication.excluding,
            event: publication.cached?.event ?? publication.bridged?.event,
            data: publication.cached?.data ?? publication.bridged?.data,
            lifetime: publication.cached.map { $0.expires.since(now).milliseconds }, isBridged: publication.bridged != nil)
    }

    func publication(of application: Application, traits: ChannelTraits, at now: MonotonicInstant) -> ChannelPublication {
        var publication = ChannelPublication(
            channel: channel, traits: traits, application: application, frame: frame, source: .server, excluding: excluding)
        guard let event, let data else { return publication }
        publication.cached = lifetime.map {
            CachedMessage(event: event, data: data, expires: now.advanced(by: .milliseconds($0)))
        }
        if isBridged { publication.bridged = BridgedEvent(event: event, data: data) }
        return publication
    }
}

extension Duration {
    /// The duration in whole milliseconds.
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
