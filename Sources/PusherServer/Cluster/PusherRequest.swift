import NIOCore
import RealtimeHub
import ServerCluster
import ServerRuntime

/// A request from the member of a node to the leader, or an announcement of what its connections hold (rule CP-1).
enum PusherRequest: Sendable {
    /// A request of the HTTP API.
    case http(HTTPRequest)
    case publish(ForwardedPublication)
    /// An event of a client.
    case relay(ClientEvent, application: String, sender: SocketID)
    /// The last value is set for connections with recovery.
    case subscribe(SocketID, ChannelID, member: PresenceMember?, SubscriptionRecovery? = nil)
    /// Several subscriptions of one connection, without members and recovery. Each is answered by a ``PusherFact/settled(_:_:)``.
    case subscribeAll(SocketID, application: String, [BatchedSubscription])
    /// Subscriptions of one connection have ended.
    case unsubscribe(application: String, [EndedHolding], isSilent: Bool)
    case signIn(SignedInConnection, answers: [ByteBuffer])
    case signOut(SocketID, application: String)
    case close(PusherCloseReason, application: String, user: String?)
    /// Connections want so many places of an application with a limit. The answer is how many are given.
    case places(ApplicationCount)
    /// The number of connections that opened, or closed if negative, without a request for a place.
    case connectionChanges([ApplicationCount])
    /// A part of an announcement: so many connections applications have on the node.
    case connections([ApplicationCount])
    /// A part of an announcement.
    case holdings([ChannelHolding])
    /// A part of an announcement.
    case users([SignedInConnection])
    /// A part of an announcement: channels with subscribers that have recovery.
    case recovering([ChannelID])
}

/// One of several subscriptions of a connection.
struct BatchedSubscription: Hashable, Sendable {
    /// The node's number for it.
    var number: UInt64
    var channel: String
}

/// The end of one subscription.
struct EndedHolding: Hashable, Sendable {
    var channel: String
    /// The member's user on a presence channel.
    var user: String?
}

/// Subscriptions of one node to a channel, those of one user on a presence channel.
struct ChannelHolding: Hashable, Sendable {
    var channel: ChannelID
    var member: PresenceMember?
    var count: Int
}

/// A connection that is signed in.
struct SignedInConnection: Hashable, Sendable {
    var socketID: SocketID
    var application: String
    var user: String
    var watchlist: [String]
}

/// An event of the application's own server, or of another service of this one.
struct ForwardedPublication: Hashable, Sendable {
    var channel: ChannelID
    var frame: ByteBuffer
    var excluding: SocketID?
    var event: String?
    var data: String?
    /// How long a cache channel remembers it, in milliseconds; nil for other channels.
    var lifetime: Int64?
    /// Whether other services get it.
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
    /// Whole milliseconds.
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
