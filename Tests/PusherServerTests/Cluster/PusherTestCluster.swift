import ClusterTestSupport
import NIOCore
import NIOPosix
import RedisClient
import RedisTestSupport
import ServerCluster
import ServerRuntime

@testable import LifelineServer
@testable import PusherServer
@testable import ServerTestSupport

/// Nodes with Pusher, and leaders one after the other.
struct PusherTestCluster {
    let cluster: InProcessCluster
    let configuration: ServerConfiguration
    var nodes: [PusherNode] = []

    subscript(number: Int) -> PusherNode { nodes[number] }

    /// Makes a leader that knows nothing but what is kept.
    ///
    /// - Parameter hasLost: whether it is told that data was lost.
    func lead(hasLost: Bool = false) async throws {
        let factory = PusherClusterLeaderFactory(
            configuration.pusher, configuration.runtime, userOfflineGrace: configuration.userOfflineGrace,
            sweepInterval: .milliseconds(20))
        try await cluster.lead(by: [.pusher: factory], hasLost: hasLost)
    }

    func kill(_ number: Int) async {
        await cluster.kill(nodes[number].bus)
    }
}

/// Runs `body` with nodes and a leader on none of them.
///
/// - Parameters:
///   - isKept: whether there is a Redis, from which a leader restores what the last one knew.
///   - patience: how long a subscription waits for a leader; so long that it never counts, if not said otherwise.
///   - pending: how many subscriptions wait for the leader's answer.
///   - isLed: whether there is a leader in the beginning.
func withPusherCluster(
    _ count: Int = 2, isKept: Bool = false, patience: Duration = .seconds(60),
    pending: PendingLimits = .init(), isLed: Bool = true,
    _ change: (inout ServerConfiguration) -> Void = { _ in }, _ body: (PusherTestCluster) async throws -> Void
) async throws {
    let redis = isKept ? try RedisProcess() : nil
    let link = try redis.map { redis in
        try RedisLink(
            RedisLinkSettings(address: RedisAddress("redis://127.0.0.1:\(redis.port)"), clientName: "test", seed: 1),
            eventLoop: MultiThreadedEventLoopGroup.singleton.next()
        ) { _ in }
    }
    link?.start()
    let configuration = sharedConfiguration(change)
    var cluster = PusherTestCluster(
        cluster: InProcessCluster(store: link.map { LinkStore($0) }), configuration: configuration)
    if isLed { try await cluster.lead() }
    func stop() async throws {
        await cluster.cluster.loseLeader()
        for node in cluster.nodes { try await node.stop() }
        link?.close()
    }
    do {
        for number in 0..<count {
            cluster.nodes.append(
                try await .start(
                    "node\(number)", in: cluster.cluster, cluster.configuration, patience: patience, pending: pending))
        }
        try await body(cluster)
    } catch {
        try await stop()
        throw error
    }
    try await stop()
    withExtendedLifetime(redis) {}
}
