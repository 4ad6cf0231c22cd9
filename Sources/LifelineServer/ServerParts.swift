import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerRuntime
import ServiceBridge

/// The states of all services that servers share: in one process (``LocalBackend``), or over Redis.
struct ServerParts: Sendable {
    /// In the order of ``ServerConfiguration/services``.
    let states: [(name: ServiceName, state: any SharedServiceState)]
    /// The queue of the servers' bridge; nil when no bridge is possible.
    let bridge: BridgeQueue?
    /// The task that applies the last change of settings.
    private let reloading = NIOLockedValueBox<Task<Void, any Error>?>(nil)

    init(_ states: [(name: ServiceName, state: any SharedServiceState)], bridge: BridgeQueue?) {
        self.states = states
        self.bridge = bridge
    }

    /// Applies new settings of services: first all are prepared, which alone may fail, then all are applied.
    ///
    /// - Parameters:
    ///   - settings: the settings by service, read when it is the turn of this change.
    ///   - applied: called in the same turn, after all were applied.
    func reload(
        _ settings: @escaping @Sendable () -> [ServiceName: any Sendable], applied: @escaping @Sendable () -> Void = {}
    ) async throws {
        // One change after the other, because each numbers its applications after those of the previous one.
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

    /// Closures that add the families of the states to a server's metrics.
    var metrics: [@Sendable (inout PrometheusText) -> Void] {
        states.map { _, state in { out in state.write(to: &out) } }
    }

    /// Conditions for readiness, one for each state.
    var conditions: [@Sendable () -> Unreadiness?] { states.map { _, state in { state.unreadiness } } }

    /// Why one of the states makes its servers unready; nil while none does.
    var unreadiness: Unreadiness? { states.lazy.compactMap(\.state.unreadiness).first }

    func close() async {
        for (_, state) in states { await state.close() }
    }
}

/// A server's membership in a backend, from joining to leaving.
protocol ServerSeat: Sendable {
    var node: ServerNode { get }
    var parts: ServerParts { get }

    /// The event loops on which changes of other servers arrive; empty for a single server.
    var clusterLoops: [any EventLoop] { get }
    /// The further conditions for readiness.
    var conditions: [@Sendable () -> Unreadiness?] { get }
    /// Closures that add families to the server's metrics.
    var metrics: [@Sendable (inout PrometheusText) -> Void] { get }

    /// The server's status in each partition of its cluster; nil for a single server.
    var clusterStatus: (@Sendable () -> [ClusterStatus])? { get }

    /// Uses this user and password for Redis from now on. Does nothing for a single server.
    func renew(_ redis: RedisConfiguration)

    /// Registers the server's bridge with the backend. Throws when the backend uses Redis, or when a service refuses the bridge
    /// (rule BR-20).
    func open(_ bridge: Bridge) throws
    /// Leaves the backend. The server's connections have closed already.
    func leave() async
}

extension ServerSeat {
    func renew(_ redis: RedisConfiguration) {}
}
