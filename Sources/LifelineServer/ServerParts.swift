import ChatServer
import NIOConcurrencyHelpers
import NIOCore
import PubNubServer
import PusherServer
import ServerCluster
import ServerRuntime
import ServiceBridge

/// The parts of the backend that servers share: in one process (``LocalBackend``), or over Redis.
protocol ServerParts: Sendable {
    var channels: any ChannelBackend { get }
    var streams: any StreamBackend { get }
    var chat: any ChatBackend { get }
    /// Forwards requests of Pusher's HTTP API; nil when they are answered in this process.
    var pusherForwarder: PusherService.RequestForwarder? { get }
    /// The queue of the servers' bridge; nil when no bridge is possible.
    var bridge: BridgeQueue? { get }
    /// The task that applies the last change of keysets and chat applications.
    var reloading: NIOLockedValueBox<Task<Void, any Error>?> { get }

    /// Applies changed keysets and chat applications, unless a bridge includes a keyset that requires grants (rule BR-22).
    func take(_ keysets: PubNubReload?, _ applications: ChatReload?) async throws
    /// Applies changed applications of Pusher.
    func applicationsChanged()
}

/// A server's membership in a backend, from joining to leaving.
protocol ServerSeat: Sendable {
    var node: ServerNode { get }
    var parts: any ServerParts { get }

    /// The event loop on which changes of other servers arrive; nil for a single server.
    var clusterLoop: (any EventLoop)? { get }
    /// Conditions for the server's readiness that the backend adds: each returns the reason why it is not ready, or nil.
    var conditions: [@Sendable () -> Unreadiness?] { get }
    /// Closures that add families to the server's metrics.
    var metrics: [@Sendable (inout PrometheusText) -> Void] { get }

    /// The server's status in its cluster; nil for a single server.
    var clusterStatus: (@Sendable () -> ClusterStatus)? { get }

    /// Uses this user and password for Redis from now on. Does nothing for a single server.
    func renew(_ redis: RedisConfiguration)

    /// Makes the server's bridge carry the messages of the shared backend.
    func open(_ bridge: Bridge) throws
    /// Leaves the backend. The server's connections have closed already.
    func leave() async
}

extension ServerSeat {
    func renew(_ redis: RedisConfiguration) {}
}
