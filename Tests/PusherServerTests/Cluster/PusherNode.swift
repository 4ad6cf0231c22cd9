import ClusterTestSupport
import NIOCore
import NIOPosix
import ServerRuntime

@testable import LifelineServer
@testable import PusherServer
@testable import ServerTestSupport

/// A server with Pusher only, as a node of a cluster.
final class PusherNode: Sendable {
    /// For each partition, the node's way to its leader, and the node's channels.
    let buses: [InProcessBus]
    let parts: [ClusterChannels]
    let service: PusherService
    let context: ServerContext
    private let host: ServerHost
    private let listener: any Channel
    private let sweeps: [RepeatedTask]
    private let group: MultiThreadedEventLoopGroup

    /// The way to the leader of the first partition, and its channels.
    var bus: InProcessBus { buses[0] }
    var channels: ClusterChannels { parts[0] }

    /// Starts a node that takes part at once.
    static func start(
        _ name: String, in cluster: PusherTestCluster, patience: Duration, pending: PendingLimits
    ) async throws -> PusherNode {
        let configuration = cluster.configuration
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        var settings = configuration.runtime
        settings.sweepInterval = .milliseconds(20)
        let context = ServerContext(settings, eventLoops: Array(group.makeIterator()))
        let buses = cluster.clusters.map { $0.bus(name) }
        let parts = zip(buses, cluster.partitions).map { bus, partition in
            ClusterChannels(
                bus: bus, clock: configuration.clock, callLimit: .seconds(60), patience: patience, pending: pending,
                partition: partition)
        }
        let (channels, forwarder) = PartitionedChannels.of(parts)
        let service = PusherService(configuration.pusher, context, channels: channels, forwarder: forwarder)
        let host = ServerHost(context, [service])
        try await host.prepare()
        let listener = try await Listener(host, on: group).bind()
        for (cluster, bus) in zip(cluster.clusters, buses) { await cluster.join(bus) }
        return PusherNode(
            buses: buses, parts: parts, service: service, context: context, host: host, listener: listener,
            sweeps: host.startSweeping(), group: group)
    }

    private init(
        buses: [InProcessBus], parts: [ClusterChannels], service: PusherService, context: ServerContext, host: ServerHost,
        listener: any Channel, sweeps: [RepeatedTask], group: MultiThreadedEventLoopGroup
    ) {
        self.buses = buses
        self.parts = parts
        self.service = service
        self.context = context
        self.host = host
        self.listener = listener
        self.sweeps = sweeps
        self.group = group
    }

    var port: Int { listener.localAddress?.port ?? 0 }

    func connect() async throws -> TestClient { try await TestClient.connect(port: port) }

    func get(_ path: String, query: [(name: String, value: String)] = []) async throws -> Answer {
        try await Answer.of("GET", "http://127.0.0.1:\(port)" + signed("GET", path, query: query))
    }

    func post(_ path: String, _ body: String) async throws -> Answer {
        try await Answer.of("POST", "http://127.0.0.1:\(port)" + signed("POST", path, body: body), body: body)
    }

    /// Closes everything, with a drain of the connections first.
    func stop() async throws {
        context.admission.withLockedValue { $0.drain() }
        try? await listener.close()
        try await host.finishSockets(within: .milliseconds(500))
        for sweep in sweeps { sweep.cancel() }
        await host.close()
        for loop in context.loops { loop.queue.close() }
        try await group.shutdownGracefully()
    }
}
