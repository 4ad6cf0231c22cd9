import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerRuntime
import ServiceBridge

/// The states of all services, which servers share: within one process (``LocalBackend``), or over Redis.
struct ServerParts: Sendable {
    /// The states of the services, in the order of ``ServerConfiguration/services``.
    let states: [(name: ServiceName, state: any SharedServiceState)]
    /// The queue of messages for the bridge, which copies them from one service to the others; nil in a cluster, where no bridge is
    /// possible.
    let bridge: BridgeQueue?
    /// The task that applies the latest change of settings. The next change waits for it.
    private let reloading = NIOLockedValueBox<Task<Void, any Error>?>(nil)

    init(_ states: [(name: ServiceName, state: any SharedServiceState)], bridge: BridgeQueue?) {
        self.states = states
        self.bridge = bridge
    }

    /// Applies new settings of services. First all changes are prepared, then all are applied; only the preparation may fail.
    ///
    /// - Parameters:
    ///   - settings: returns the settings by service; called after all earlier changes.
    ///   - applied: called after the settings were applied, and before the next change.
    func reload(
        _ settings: @escaping @Sendable () -> [ServiceName: any Sendable], applied: @escaping @Sendable () -> Void = {}
    ) async throws {
        // Changes are applied one after the other, because each continues the numbering of applications of the previous change.
        let task = reloading.withLockedValue { reloading in
            let task = Task { [states, last = reloading] in
                _ = await last?.result
                let settings = settings()
                var changes: [ServiceChange] = []
                for (name, state) in states {
                    if let new = settings[name] { changes.append(try await state.prepare(new)) }
                }
                for change in changes { try await change() }
                applied()
            }
            reloading = task
            return task
        }
        try await task.value
    }

    /// Closures that add the metric families of the services' states to a server's metrics.
    var metrics: [@Sendable (inout PrometheusText) -> Void] {
        states.map { _, state in { out in state.write(to: &out) } }
    }

    /// The conditions for readiness, one for each service's state.
    var conditions: [@Sendable () -> Unreadiness?] { states.map { _, state in { state.unreadiness } } }

    /// The first reason why a state makes its servers unready; nil when there is none.
    var unreadiness: Unreadiness? { states.lazy.compactMap(\.state.unreadiness).first }

    func close() async {
        for (_, state) in states { await state.close() }
    }
}

/// A server's membership in a backend, from joining to leaving.
protocol ServerSeat: Sendable {
    var node: ServerNode { get }
    var parts: ServerParts { get }

    /// The event loops on which changes made by other servers arrive; empty for a single server.
    var clusterLoops: [any EventLoop] { get }
    /// Conditions for readiness in addition to those of the server itself.
    var conditions: [@Sendable () -> Unreadiness?] { get }
    /// Closures that add metric families to the server's metrics.
    var metrics: [@Sendable (inout PrometheusText) -> Void] { get }

    /// The server's status in each partition of its cluster; nil for a single server.
    var clusterStatus: (@Sendable () -> [ClusterStatus])? { get }

    /// Uses this user and password for later connections to Redis. Does nothing for a single server.
    func renew(_ redis: RedisConfiguration)

    /// Registers the server's bridge with the backend. Throws when the backend uses Redis, or when a service refuses the bridge (rule
    /// BR-20).
    func open(_ bridge: Bridge) throws
    /// Leaves the backend. All connections of the server are already closed.
    func leave() async
}

extension ServerSeat {
    func renew(_ redis: RedisConfiguration) {}
}
