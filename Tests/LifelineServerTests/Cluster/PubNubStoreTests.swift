import ClusterTestSupport
import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import RealtimeHub
import RedisClient
import RedisTestSupport
import ServerCluster
import StoreConformance
import Testing

@testable import PubNubServer

/// Hands the output of a cluster's leader to a test.
private final class ContextFactory: ClusterLeaderFactory {
    final class Leader: ClusterLeader {
        func handle(_ request: ByteBuffer, from node: ClusterNode, reply: @escaping @Sendable (ByteBuffer) -> Void) {}
        func announced(_ requests: [ByteBuffer], by node: ClusterNode) {}
        func left(_ node: ClusterNode) {}
        func close() async {}
    }

    let context = NIOLockedValueBox<ClusterLeaderContext?>(nil)

    func makeLeader(_ context: ClusterLeaderContext) async throws -> any ClusterLeader {
        self.context.withLockedValue { $0 = context }
        return Leader()
    }
}

@Suite(
    "PubNub's store in Redis", .serialized, .enabled(if: RedisProcess.isInstalled, Comment(rawValue: RedisProcess.reason)),
    .timeLimit(.minutes(2)))
struct PubNubStoreTests {
    @Test("Every rule of message stores holds for Redis (CB-1)", arguments: MessageStoreRule.allCases)
    func conformance(rule: MessageStoreRule) async throws {
        let redis = try RedisProcess()
        let link = try startedLink(redis)
        let cluster = InProcessCluster(store: WindowedStore(link))
        await #expect(throws: Never.self) {
            try await rule.check { place in
                let factory = ContextFactory()
                try await cluster.lead(by: [.pubnub: factory])
                let context = try #require(factory.context.withLockedValue { $0 })
                return RedisMessageStore(
                    output: context.output, reader: context.store, settings: RedisStoreSettings(recentBytes: place.restoredBytes),
                    now: place.now)
            }
        }
        link.close()
    }
}
