import ClusterTestSupport
import NIOCore
import NIOPosix
import RedisClient
import RedisTestSupport
import ServerCluster
import ServerRuntime
import Testing

@testable import LifelineServer
@testable import PusherServer
@testable import ServerTestSupport

/// Nodes with Pusher, and leaders one after the other.
struct PusherTestCluster {
    /// One for each partition.
    let clusters: [InProcessCluster]
    let partitions: [ChannelPartition]
    let configuration: ServerConfiguration
    var nodes: [PusherNode] = []

    /// The first partition.
    var cluster: InProcessCluster { clusters[0] }

    subscript(number: Int) -> PusherNode { nodes[number] }

    /// Makes a leader that knows nothing but what is kept.
    ///
    /// - Parameters:
    ///   - partition: the partition that it leads.
    ///   - hasLost: whether it is told that data was lost.
    ///   - isAnnounced: whether the nodes announce themselves at once.
    /// - Returns: what makes the leader.
    @discardableResult
    func lead(
        _ partition: Int = 0, hasLost: Bool = false, isAnnounced: Bool = true
    ) async throws -> PusherClusterLeaderFactory {
        let factory = PusherClusterLeaderFactory(
            configuration.pusher, configuration.runtime, userOfflineGrace: configuration.userOfflineGrace,
            sweepInterval: .milliseconds(20), partition: partitions[partition])
        try await clusters[partition].lead(by: [.pusher: factory], hasLost: hasLost, isAnnounced: isAnnounced)
        return factory
    }

    func kill(_ number: Int) async {
        for (cluster, bus) in zip(clusters, nodes[number].buses) { await cluster.kill(bus) }
    }
}

/// Runs `body` with nodes and a leader on none of them.
///
/// - Parameters:
///   - isKept: whether there is a Redis, from which a leader restores what the last one knew.
///   - inMemory: whether a store engine in memory takes the place of Redis.
///   - patience: how long a subscription waits for a leader; so long that it never counts, if not said otherwise.
///   - pending: how many subscriptions wait for the leader's answer.
///   - partitions: the number of partitions. Each of them has a Redis of its own.
///   - isLed: whether there are leaders in the beginning.
func withPusherCluster(
    _ count: Int = 2, partitions: Int = 1, isKept: Bool = false, inMemory: Bool = false, patience: Duration = .seconds(60),
    pending: PendingLimits = .init(), isLed: Bool = true,
    _ change: (inout ServerConfiguration) -> Void = { _ in }, _ body: (PusherTestCluster) async throws -> Void
) async throws {
    let redis = isKept ? try (0..<partitions).map { _ in try RedisProcess() } : []
    let links = try redis.map { redis in
        try RedisLink(
            RedisLinkSettings(address: RedisAddress("redis://127.0.0.1:\(redis.port)"), clientName: "test", seed: 1),
            eventLoop: MultiThreadedEventLoopGroup.singleton.next()
        ) { _ in }
    }
    for link in links { link.start() }
    let configuration = sharedConfiguration(change)
    let clusters = (0..<partitions).map { partition -> InProcessCluster in
        if inMemory { return InProcessCluster(store: MemoryStore()) }
        return InProcessCluster(store: isKept ? LinkStore(links[partition]) : nil)
    }
    var cluster = PusherTestCluster(
        clusters: clusters, partitions: ChannelPartition.all(try #require(ClusterPartitions(partitions))),
        configuration: configuration)
    if isLed { for partition in 0..<partitions { try await cluster.lead(partition) } }
    func stop() async throws {
        for cluster in clusters { await cluster.loseLeader() }
        for node in cluster.nodes { try await node.stop() }
        for link in links { link.close() }
    }
    do {
        for number in 0..<count {
            cluster.nodes.append(
                try await .start("node\(number)", in: cluster, patience: patience, pending: pending))
        }
        try await body(cluster)
    } catch {
        try await stop()
        throw error
    }
    try await stop()
    withExtendedLifetime(redis) {}
}
