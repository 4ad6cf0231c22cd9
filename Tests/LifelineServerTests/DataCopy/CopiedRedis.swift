import ChatServer
import ClusterTestSupport
import HubStorage
import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import PubNubServer
import RedisClient
import RedisStoreEngine
import RedisTestSupport
import ServerCluster
import ServerStorage

@testable import LifelineServer

/// A Redis with the keys of a cluster of which no server runs, and directories to which they are copied.
final class CopiedRedis: Sendable {
    let process: RedisProcess
    let scratch = DataScratch()
    let redis: RedisConfiguration
    let link: RedisLink
    private let copies = NIOLockedValueBox(0)

    var address: String { "redis://127.0.0.1:\(process.port)" }

    /// - Parameter layout: the layout of the cluster; nil for a Redis without a cluster.
    init(layout: String? = "partitions=1 redis=1") async throws {
        process = try RedisProcess()
        redis = try RedisConfiguration(address: "redis://127.0.0.1:\(process.port)", node: "test")
        var settings = try RedisLinkSettings(
            address: RedisAddress("redis://127.0.0.1:\(process.port)"), clientName: "test", seed: .random(in: 0 ... .max))
        settings.policy.probe = nil
        settings.policy.commands = 1_000_000
        link = RedisLink(settings, eventLoop: .singletonMultiThreadedEventLoopGroup.next()) { _ in }
        link.start()
        if let layout { try await run("SET", redis.keys.layout, .text(layout)) }
    }

    deinit { link.close() }

    @discardableResult
    func run(_ name: String, _ arguments: RedisArgument...) async throws -> RedisValue {
        try await link.send(RedisCommand(name, arguments), within: .seconds(30))
    }

    /// The keys of a partition, or of the only one.
    func reader(_ partition: Int? = nil, among count: Int = 16) -> StoppedCluster.Reader {
        let partitions = partition.flatMap { _ in ClusterPartitions(count) } ?? .one
        return StoppedCluster.Reader(
            link: link, keys: redis.keys.of(partition: partition ?? 0, among: partitions), address: address)
    }

    func messages(
        _ partition: Int? = nil, among count: Int = 16, settings: RedisStoreSettings = RedisStoreSettings(),
        now: @escaping @Sendable () -> UInt64 = systemTicks
    ) -> RedisMessageStore {
        RedisMessageStore(output: LinkOutput(link), reader: reader(partition, among: count), settings: settings, now: now)
    }

    func chat(
        _ partition: Int? = nil, among count: Int = 16, now: @escaping @Sendable () -> UInt64 = systemTicks
    ) -> RedisChatStore {
        RedisChatStore(output: LinkOutput(link), reader: reader(partition, among: count), now: now)
    }

    /// A new directory with a copy of what the given function reads.
    func copy(
        _ parts: Set<StoredPart>, at now: UInt64, _ read: (RowSpool) async throws -> Void
    ) async throws -> String {
        let number = copies.withLockedValue { copies in
            copies += 1
            return copies
        }
        let directory = "\(scratch.path)/\(number)"
        let spool = try RowSpool(parts: parts)
        defer { spool.close() }
        try await read(spool)
        let target = try SQLiteTables(writingTo: directory, parts: parts)
        defer { target.close() }
        guard try DataCopy(from: spool, to: target, expiry: now).run().isEqual else { throw NotEqual() }
        return directory
    }

    struct NotEqual: Error {}
}

/// Carries writes of a store out at once.
private final class LinkOutput: ClusterOutput {
    private let store: WindowedStore

    init(_ link: RedisLink) { store = WindowedStore(link) }

    func emit(
        _ fact: ByteBuffer?, of service: ClusterServiceID, to audience: ClusterAudience, writes: [StoreWrite],
        completion: (@Sendable (Bool) -> Void)?
    ) {
        store.write(writes) { completion?($0) }
    }
}
