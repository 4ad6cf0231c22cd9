import ChatServer
import NIOConcurrencyHelpers
import NIOCore
import PubNubServer
import PusherServer
import ServerCluster
import ServerRuntime
import ServiceBridge

/// The parts that servers share: in one process (``LocalBackend``), or over a Redis.
protocol ServerParts: Sendable {
    var channels: any ChannelBackend { get }
    var streams: any StreamBackend { get }
    var chat: any ChatBackend { get }
    /// Answers requests of Pusher's HTTP API elsewhere; nil where they are answered here.
    var pusherForwarder: PusherService.RequestForwarder? { get }
    /// The queue of the servers' bridge; nil where there can be none.
    var bridge: BridgeQueue? { get }
    /// The last change of keysets and chat applications.
    var reloading: NIOLockedValueBox<Task<Void, any Error>?> { get }

    /// Takes over changed keysets and chat applications, unless a bridge would open one that requires grants (rule BR-22).
    func take(_ keysets: PubNubReload?, _ applications: ChatReload?) async throws
    /// Pusher's applications have changed.
    func applicationsChanged()
}

/// A server's place in a backend, from joining to leaving.
protocol ServerSeat: Sendable {
    var node: ServerNode { get }
    var parts: any ServerParts { get }

    /// The loop on which what other servers did arrives; nil when there are none.
    var clusterLoop: (any EventLoop)? { get }
    /// The conditions for readiness.
    var conditions: [@Sendable () -> Unreadiness?] { get }
    /// Add families to the server's metrics.
    var metrics: [@Sendable (inout PrometheusText) -> Void] { get }

    /// How the server stands among those that share a Redis; nil for a server alone.
    var clusterStatus: (@Sendable () -> ClusterStatus)? { get }

    /// Signs in to Redis with this user and password from now on. Does nothing for a server alone.
    func renew(_ redis: RedisConfiguration)

    /// Lets the server's bridge carry the messages of the shared backend.
    func open(_ bridge: Bridge) throws
    /// Leaves. The server's connections are gone by now.
    func leave() async
}

extension ServerSeat {
    func renew(_ redis: RedisConfiguration) {}
}
