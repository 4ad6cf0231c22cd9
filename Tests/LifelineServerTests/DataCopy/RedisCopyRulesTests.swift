import RedisTestSupport
import StoreConformance
import Testing

@testable import LifelineServer

@Suite(
    "Copies of what a cluster keeps in Redis", .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"),
    .timeLimit(.minutes(5)))
struct RedisCopyRulesTests {
    @Test("DC-12: The rules of message stores hold for what is read from a copy of Redis", arguments: MessageStoreRule.allCases)
    func messages(rule: MessageStoreRule) async throws {
        let redis = try await CopiedRedis()
        await #expect(throws: Never.self) {
            try await rule.check { try await CopiedMessageStore(redis, recentBytes: $0.restoredBytes, now: $0.now) }
        }
    }

    @Test("DC-12: The rules of chat stores hold for what is read from a copy of Redis", arguments: ChatStoreRule.allCases)
    func chat(rule: ChatStoreRule) async throws {
        let redis = try await CopiedRedis()
        await #expect(throws: Never.self) { try await rule.check { try await CopiedChatStore(redis, now: $0.now) } }
    }
}
