import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import RedisClient
import RedisStoreEngine
import RedisTestSupport
import ServerCluster
import ServerRuntime
import Testing

/// A node of a cluster over a Redis of the test's own.
final class LiveNode: Sendable {
    /// The settings of a node and of its connections.
    struct Settings {
        var cluster: ClusterSettings
        var redis: RedisEngineSettings
    }

    let client: ClusterClient
    let engine: RedisEngine
    let member = TextMember()
    let factory = TextFactory()

    init(_ redis: RedisProcess, _ name: String, _ change: (inout Settings) -> Void = { _ in }) throws {
        var random = SystemRandomNumberGenerator()
        let link = try RedisLinkSettings(
            address: RedisAddress("redis://127.0.0.1:\(redis.port)"), clientName: name, seed: random.next())
        let keys = try #require(ClusterKeys(cluster: "test"))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let node = ClusterNode(name: name, incarnation: random.next())
        var settings = Settings(
            cluster: ClusterSettings(node: node, clock: .system, logger: logger),
            redis: RedisEngineSettings(node: node, keys: keys, link: link, logger: logger))
        change(&settings)
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        engine = RedisEngine(settings.redis, eventLoop: eventLoop)
        client = ClusterClient(settings.cluster, engine, eventLoop: eventLoop)
        client.attach(member, of: .pusher)
        client.attach(factory, of: .pusher)
        client.start()
    }

    /// Starts a node and waits until it can be used.
    static func ready(
        _ redis: RedisProcess, _ name: String, _ change: (inout Settings) -> Void = { _ in }
    ) async throws -> LiveNode {
        let node = try LiveNode(redis, name, change)
        #expect(await node.client.waitUntilReady(within: .seconds(60)))
        return node
    }

    /// Has a text numbered; waits as long as it takes.
    func say(_ text: String, within limit: Duration? = nil) async -> Result<String, ClusterFailure> {
        await withCheckedContinuation { continuation in
            client.request(ByteBuffer(string: text), of: .pusher, within: limit, isRepeatable: true) {
                continuation.resume(returning: $0.map { String(buffer: $0) })
            }
        }
    }

    /// Has so many bytes answered beside the log; waits as long as it takes.
    func query(_ bytes: Int) async -> Result<Int, ClusterFailure> {
        await withCheckedContinuation { continuation in
            client.query(ByteBuffer(string: "\(bytes)"), of: .pusher, within: nil, isRepeatable: true) {
                continuation.resume(returning: $0.map(\.readableBytes))
            }
        }
    }

    /// Waits until the node leads, or does so no longer.
    func waitToLead(_ leads: Bool = true) async -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        while (client.status.role != .follower) != leads {
            guard ContinuousClock.now < end else { return false }
            await Task.yield()
        }
        return true
    }
}

/// Gives a Redis orders, over connections of its own.
struct RedisOperator {
    private let node: LiveNode

    init(_ redis: RedisProcess) async throws {
        let other = try #require(ClusterKeys(cluster: "operator"))
        node = try await LiveNode.ready(redis, "operator") { $0.redis.keys = other }
    }

    @discardableResult
    func order(_ name: String, _ arguments: String...) async throws -> RedisValue {
        try await node.engine.send(RedisCommand(name, arguments.map { .text($0) }), within: .seconds(60))
    }

    func close() async {
        await node.client.close()
    }
}
