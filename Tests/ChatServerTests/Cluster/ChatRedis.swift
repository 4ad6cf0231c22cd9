import ClusterTestSupport
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import RedisClient
import RedisTestSupport
import ServerCluster

@testable import ServerTestSupport

/// A Redis of a test's own, for a cluster in one process.
final class ChatRedis: Sendable {
    private let process: RedisProcess
    private let link: RedisLink
    let store: LinkStore

    init() throws {
        process = try RedisProcess()
        var random = SystemRandomNumberGenerator()
        var settings = try RedisLinkSettings(
            address: RedisAddress("redis://127.0.0.1:\(process.port)"), clientName: "test", seed: random.next())
        settings.policy.probe = nil
        settings.policy.commands = 1_000_000
        link = RedisLink(settings, eventLoop: MultiThreadedEventLoopGroup.singleton.next()) { _ in }
        link.start()
        store = LinkStore(link)
    }

    deinit { link.close() }

    /// The names of keys, without the prefix.
    func keys(_ patterns: String...) async throws -> [String] {
        var keys: [String] = []
        for pattern in patterns {
            let found = try await link.send(RedisCommand("KEYS", .text("*:" + pattern)), within: .seconds(30)).elements ?? []
            keys += found.compactMap { $0.text.map { String($0.dropFirst("{test}:".count)) } }
        }
        return keys.sorted()
    }

    /// Whether any key has these words, or a value that holds them.
    func has(_ words: String) async throws -> Bool {
        let script = """
            for _, key in ipairs(redis.call('KEYS', '*')) do
              local kind = redis.call('TYPE', key).ok
              local value = kind == 'hash' and redis.call('HGETALL', key) or kind == 'stream' and redis.call('XRANGE', key, '-', '+')
                or kind == 'set' and redis.call('SMEMBERS', key) or kind == 'zset' and redis.call('ZRANGE', key, 0, -1)
                or redis.call('GET', key)
              if string.find(key .. cjson.encode(value), ARGV[1], 1, true) then return 1 end
            end
            return 0
            """
        let found = try await link.send(RedisCommand("EVAL", .text(script), 0, .text(words)), within: .seconds(30))
        return found.number == 1
    }

    /// What a process is given that decides for chat.
    func context() async throws -> ClusterLeaderContext { try await Self.context(of: store) }

    /// The same, with any store.
    static func context(of store: any InProcessStore) async throws -> ClusterLeaderContext {
        let factory = ContextFactory()
        try await InProcessCluster(store: store).lead(by: [.chat: factory])
        guard let context = factory.context.withLockedValue({ $0 }) else { throw NeverHappened(description: "no context") }
        return context
    }

    private final class ContextFactory: ClusterLeaderFactory {
        let context = NIOLockedValueBox<ClusterLeaderContext?>(nil)

        func makeLeader(_ context: ClusterLeaderContext) async throws -> any ClusterLeader {
            self.context.withLockedValue { $0 = context }
            return IdleLeader()
        }
    }

    private final class IdleLeader: ClusterLeader {
        func handle(_ request: ByteBuffer, from node: ClusterNode, reply: @escaping @Sendable (ByteBuffer) -> Void) {}
        func announced(_ requests: [ByteBuffer], by node: ClusterNode) {}
        func left(_ node: ClusterNode) {}
        func close() async {}
    }
}
