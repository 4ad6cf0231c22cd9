import RealtimeHub
import RedisTestSupport
import StoreConformance
import Testing

@testable import ChatServer

@Suite(
    "Chat in the Redis of a cluster (CC-10 to CC-16)", .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"),
    .timeLimit(.minutes(2)))
struct ChatRedisStoreTests {
    @Test("CC-10: The store fulfils the rules of chat stores", arguments: ChatStoreRule.allCases)
    func conformance(rule: ChatStoreRule) async throws {
        let redis = try ChatRedis()
        await #expect(throws: Never.self) {
            try await rule.check { place in
                let context = try await redis.context()
                return RedisChatStore(output: context.output, reader: context.store, now: place.now)
            }
        }
    }
}
