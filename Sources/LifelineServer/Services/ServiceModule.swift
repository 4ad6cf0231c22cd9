import ServerCluster
import ServerRuntime

/// One protocol of a server: everything that a server needs to know of it (rules SO-142 to SO-145).
///
/// A server walks the list ``ServerConfiguration/services``: it opens the state of each module, makes its running part, and asks that part
/// for the front, the console, statistics and metrics. No other code of a server names a protocol, except for the public methods that
/// an app calls by the protocol's own terms.
package protocol ServiceModule: Sendable {
    /// The name in metrics, in logs and in the console.
    var name: ServiceName { get }
    /// The name in messages that a bridge carries, if it is another one.
    var bridgeName: String { get }

    /// The section of the configuration file with the service's settings; nil when the service has none, or one that the program declares.
    var section: (any ServiceSection)? { get }

    /// Opens the state that the servers of one process share. Called once, for the first server of a backend.
    func open(_ opening: ServiceOpening) async throws -> any SharedServiceState
    /// Makes the state of a node of a cluster, and attaches the leader's part to the bus. Called before the cluster starts.
    func join(_ joining: ServiceJoining) -> any SharedServiceState
}

extension ServiceModule {
    package var bridgeName: String { name.rawValue }
    package var section: (any ServiceSection)? { nil }
}

/// What a module opens its state with, alone in one process.
package struct ServiceOpening: Sendable {
    package let configuration: ServerConfiguration
    /// The names of applications in the servers' metrics.
    package let names: MetricNames
    /// Takes messages on public channels for the bridge and for the console's live feed.
    package let tap: any BridgeTap
    /// The bridges of the servers, which limit what a reload may change.
    let bridges: OpenBridges
}

/// What a module makes its state with, on a node of a cluster.
package struct ServiceJoining: Sendable {
    package let configuration: ServerConfiguration
    package let names: MetricNames
    /// Shows messages on public channels in the console's live feed; nil without a console.
    package let tap: (any BridgeTap)?
    /// The bus of the cluster's first partition: for the node's part of the service.
    package let bus: any ClusterBus
    /// Lets the console of a node ask the leader's part of a service in the first partition.
    package let relay: ConsoleRelay
    /// Lets this node lead a service in the first partition.
    package let attach: @Sendable (any ClusterLeaderFactory, ClusterServiceID) -> Void
    /// The further partitions; empty for a cluster that has only one.
    var others: [Partition] = []
    /// The database beside Redis for durable data; nil when Redis stores everything.
    var shared: SharedStores?

    /// All partitions, at least one. A service that divides its applications makes a part for each of them; another one is in the first
    /// partition as a whole.
    package var partitions: [Partition] { [Partition(bus: bus, relay: relay, attach: attach)] + others }

    /// One partition of a cluster, which has a leader of its own.
    package struct Partition: Sendable {
        /// The bus: for the node's part of the service.
        package let bus: any ClusterBus
        /// Lets the console of a node ask the leader's part of a service.
        package let relay: ConsoleRelay
        /// Lets this node lead a service.
        package let attach: @Sendable (any ClusterLeaderFactory, ClusterServiceID) -> Void
    }
}

/// The state of one service that servers share: in one process, or a node's part of it in a cluster.
package protocol SharedServiceState: Sendable {
    /// Makes the service of one server on this state.
    ///
    /// The state that it has with the other servers is entered and left by the service itself: it is left when its front closes.
    func start(_ configuration: ServerConfiguration, _ context: ServerContext) async throws -> any RunningService

    /// Prepares new settings while servers run, without applying them. What can fail should fail here: settings are applied only when all
    /// services have prepared theirs (rule SO-144).
    ///
    /// - Parameter settings: the value that ``ServerConfiguration/settings`` has for the module, or an array of the applications.
    /// - Returns: a closure that applies the settings.
    func prepare(_ settings: any Sendable) async throws -> ServiceChange

    /// Throws when a bridge would open to everybody what the service protects (rule BR-20).
    func check(_ bridge: Bridge) throws

    /// Adds the families that do not belong to a front to the metrics of a server.
    func write(to out: inout PrometheusText)

    /// Why the state makes its servers unready; nil while it does not.
    var unreadiness: Unreadiness? { get }

    /// Why the store of the state cannot be used, for the log; nil while it can, and without a store that knows.
    var outage: String? { get }

    /// Closes the state, after the last server has left.
    func close() async
}

/// Applies prepared settings.
package typealias ServiceChange = @Sendable () async throws -> Void

extension SharedServiceState {
    package func prepare(_ settings: any Sendable) async throws -> ServiceChange { {} }
    package func check(_ bridge: Bridge) throws {}
    package func write(to out: inout PrometheusText) {}
    package var unreadiness: Unreadiness? { nil }
    package var outage: String? { nil }
    package func close() async {}
}

/// The service of one server.
package protocol RunningService: Sendable {
    /// Paths, connections, sweep, metrics and end. Of two fronts that own a path, the one of the later module answers.
    var front: any ServerFront { get }
    /// What the console shows of the service; nil for a service without a part in the console.
    var console: (any ConsoleService)? { get }
    /// Applies changes of the configuration's application registry to open connections (rule SO-21).
    func applicationsChanged()
    /// Adds the service's counts to the statistics of the server.
    func add(to statistics: inout ServerStatistics)
    /// The number of messages that programs have published through the service, and that ``ServerStatistics`` does not count.
    var publishedElsewhere: Int { get }
}

extension RunningService {
    package var console: (any ConsoleService)? { front as? any ConsoleService }
    package func applicationsChanged() {}
    package func add(to statistics: inout ServerStatistics) {}
    package var publishedElsewhere: Int { 0 }
}
