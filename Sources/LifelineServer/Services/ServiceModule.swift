import ServerCluster
import ServerRuntime

/// One protocol of a server (rules SO-142 to SO-145).
///
/// For each module in ``ServerConfiguration/services`` a server opens the state and starts the running service. The running service has the
/// front, which answers requests and connections, and the service's console, statistics and metrics. No other code of a server depends on a
/// protocol, except for the public methods that an app calls with the protocol's own terms.
package protocol ServiceModule: Sendable {
    /// The name in metrics, in logs and in the console.
    var name: ServiceName { get }
    /// The name of the service in messages that a bridge carries. It is ``name`` unless the module overrides it.
    var bridgeName: String { get }

    /// The section of the configuration file with the service's settings. Nil if the service has no settings, or the command-line program
    /// declares them.
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

/// The values with which a module opens its state for the servers of one process.
package struct ServiceOpening: Sendable {
    package let configuration: ServerConfiguration
    /// The names of applications in the servers' metrics.
    package let names: MetricNames
    /// Receives messages on public channels, for the bridge and for the console's live feed.
    package let tap: any BridgeTap
    /// The open bridges of the servers. A reload must not contradict them.
    let bridges: OpenBridges
}

/// The values with which a module makes its state on a node of a cluster.
package struct ServiceJoining: Sendable {
    package let configuration: ServerConfiguration
    package let names: MetricNames
    /// Receives messages on public channels for the console's live feed; nil without a console.
    package let tap: (any BridgeTap)?
    /// The bus of the cluster's first partition. It carries requests of the node's part of the service to the partition's leader.
    package let bus: any ClusterBus
    /// Forwards console calls to the leader of the first partition.
    package let relay: ConsoleRelay
    /// Registers the factory of a service's leader state in the first partition. The factory is called when this node becomes the
    /// partition's leader.
    package let attach: @Sendable (any ClusterLeaderFactory, ClusterServiceID) -> Void
    /// All partitions except the first; empty for a cluster with only one partition.
    var others: [Partition] = []
    /// The database beside Redis for durable data; nil when Redis stores everything.
    var shared: SharedStores?

    /// All partitions, at least one. A service that divides its applications makes one part for each partition; other services use only the
    /// first partition.
    package var partitions: [Partition] { [Partition(bus: bus, relay: relay, attach: attach)] + others }

    /// One partition of a cluster, with a leader of its own.
    package struct Partition: Sendable {
        /// The partition's bus. It carries requests of the node's part of the service to the partition's leader.
        package let bus: any ClusterBus
        /// Forwards console calls to the leader of the partition.
        package let relay: ConsoleRelay
        /// Registers the factory of a service's leader state in this partition. The factory is called when this node becomes the
        /// partition's leader.
        package let attach: @Sendable (any ClusterLeaderFactory, ClusterServiceID) -> Void
    }
}

/// The state of one service that servers share within one process, or the node's part of the service in a cluster.
package protocol SharedServiceState: Sendable {
    /// Starts the service of one server with this state.
    ///
    /// The service itself registers with the state, and deregisters when its front, which answers requests, is closed.
    func start(_ configuration: ServerConfiguration, _ context: ServerContext) async throws -> any RunningService

    /// Prepares new settings while servers run, without applying them. Errors should be found here, because settings are applied only when
    /// all services have prepared theirs (rule SO-144).
    ///
    /// - Parameter settings: the value that ``ServerConfiguration/settings`` has for the module, or an array of the applications.
    /// - Returns: a closure that applies the settings.
    func prepare(_ settings: any Sendable) async throws -> ServiceChange

    /// Throws if a bridge would give everybody access to what the service protects (rule BR-20).
    func check(_ bridge: Bridge) throws

    /// Adds the state's own metric families, such as times of its store, to the metrics of a server.
    func write(to out: inout PrometheusText)

    /// The reason why this state makes its servers unready; nil when it does not.
    var unreadiness: Unreadiness? { get }

    /// The reason why the store of this state cannot be used, for the log. Nil while it can be used, and if its type reports no outages.
    var outage: String? { get }

    /// Closes the state, after the last server that uses it has stopped.
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

/// The running service of one server.
package protocol RunningService: Sendable {
    /// Handles the service's paths, connections, periodic checks, metrics and close. If two fronts own a path, the front of the later
    /// module answers.
    var front: any ServerFront { get }
    /// The service's part of the console; nil for a service that the console does not show.
    var console: (any ConsoleService)? { get }
    /// Applies changes of the configuration's application registry to open connections (rule SO-21).
    func applicationsChanged()
    /// Adds the service's counts to the statistics of the server.
    func add(to statistics: inout ServerStatistics)
    /// The number of messages that programs have published through the service and that ``ServerStatistics`` does not count.
    var publishedElsewhere: Int { get }
}

extension RunningService {
    package var console: (any ConsoleService)? { front as? any ConsoleService }
    package func applicationsChanged() {}
    package func add(to statistics: inout ServerStatistics) {}
    package var publishedElsewhere: Int { 0 }
}
