import ClusterTestSupport
import NIOCore
import NIOPosix
import RedisClient
import RedisTestSupport
import ServerCluster
import Testing

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerRuntime
@testable import ServerTestSupport

/// A node of a cluster that serves PubNub's API and nothing else.
final class PubNubNode: Sendable {
    let bus: InProcessBus
    let streams: ClusterStreams
    let service: PubNubService
    let factory: PubNubClusterLeaderFactory
    let context: ServerContext
    private let host: ServerHost
    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel
    private let sweeps: [RepeatedTask]

    var port: Int { listener.localAddress?.port ?? 0 }

    /// - Parameters:
    ///   - database: has what lasts; nil where Redis keeps everything.
    ///   - change: changes what the node is configured with.
    init(
        _ name: String, in cluster: InProcessCluster, database: ModelDatabase? = nil,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws {
        let configuration = sharedConfiguration(change)
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let context = ServerContext(configuration.runtime, eventLoops: Array(group.makeIterator()))
        bus = cluster.bus(name)
        factory = PubNubClusterLeaderFactory(
            configuration.pubnub, clock: configuration.clock, names: context.names, lasting: database,
            sweepInterval: configuration.sweepInterval)
        streams = ClusterStreams(
            configuration.pubnub, clock: configuration.clock, names: context.names, bus: bus, leading: factory,
            lasting: database)
        service = PubNubService(configuration.pubnub, context, streams: streams)
        host = ServerHost(context, [service])
        self.context = context
        try await host.prepare()
        listener = try await Listener(host, on: group).bind()
        sweeps = host.startSweeping()
    }

    func connect() async throws -> PollClient { try await PollClient.connect(port: port) }

    func stop() async throws {
        context.admission.withLockedValue { $0.drain() }
        try? await listener.close()
        try await host.finishSockets(within: .milliseconds(100))
        for sweep in sweeps { sweep.cancel() }
        await host.close()
        for loop in context.loops { loop.queue.close() }
        try await group.shutdownGracefully()
    }

    /// Waits until the node has heard everything that the leader has emitted so far, because the leader's answer comes behind it, and has
    /// the state of all keysets.
    func catchUp() async {
        repeat {
            await withCheckedContinuation { continuation in
                streams.relay.send(.advance(past: 1, subscribeKey: "demo"), within: nil) { _ in continuation.resume() }
            }
        } while !streams.isComplete
    }

    /// Waits until so many polls are held.
    func holds(_ count: Int) async throws { try await service.holds(count) }

    /// A poll that this node holds, from its newest cursor on. Without a user, who would be present and hear of it.
    func hold(_ channels: String, _ query: String = "", held: Int = 1) async throws -> PollClient {
        let client = try await connect()
        let cursor = try await client.get("/v2/subscribe/demo/\(channels)/0?tt=0\(query)").cursor
        try await client.send("/v2/subscribe/demo/\(channels)/0?tt=\(cursor)\(query)")
        try await holds(held)
        return client
    }
}

/// Nodes that are one service, the first of which leads.
struct PubNubCluster: Sendable {
    let cluster: InProcessCluster
    let nodes: [PubNubNode]
    /// What keeps; nil for a cluster that keeps nothing.
    let redis: RedisProcess?

    func lead(_ node: PubNubNode) async throws {
        try await cluster.lead(by: [.pubnub: node.factory])
    }
}

/// Runs `body` with a cluster and stops it, whatever happens.
///
/// - Parameters:
///   - keeps: whether there is a Redis, so that a new leader knows what was before.
///   - database: has what lasts; nil where Redis keeps everything.
func withPubNubCluster(
    _ count: Int = 2, keeps: Bool = false, database: ModelDatabase? = nil,
    _ change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (PubNubCluster) async throws -> Void
) async throws {
    let redis = keeps ? try RedisProcess() : nil
    let link = try redis.map { try startedLink($0) }
    let cluster = InProcessCluster(store: link.map { WindowedStore($0) })
    var nodes: [PubNubNode] = []
    for number in 0..<count {
        let node = try await PubNubNode("n\(number)", in: cluster, database: database, change)
        await cluster.join(node.bus)
        nodes.append(node)
    }
    let result: Result<Void, any Error>
    do {
        try await cluster.lead(by: [.pubnub: nodes[0].factory])
        for node in nodes { await node.catchUp() }
        try await body(PubNubCluster(cluster: cluster, nodes: nodes, redis: redis))
        result = .success(())
    } catch {
        result = .failure(error)
    }
    for node in nodes { try await node.stop() }
    await cluster.loseLeader()
    link?.close()
    try result.get()
}

func startedLink(_ redis: RedisProcess) throws -> RedisLink {
    var settings = try RedisLinkSettings(
        address: RedisAddress("redis://127.0.0.1:\(redis.port)"), clientName: "test", seed: 1)
    settings.policy.probe = nil
    let link = RedisLink(settings, eventLoop: MultiThreadedEventLoopGroup.singleton.next()) { _ in }
    link.start()
    return link
}
