import ClusterTestSupport
import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import RedisClient
import RedisTestSupport
import ServerCluster
import ServerStorage
import StoreConformance
import Testing

@testable import PubNubServer
@testable import ServerTestSupport

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

@Suite("PubNub's store with a store engine in memory", .timeLimit(.minutes(2)))
struct PubNubMemoryStoreTests {
    @Test("CR-70: every rule of message stores holds for an engine in memory", arguments: MessageStoreRule.allCases)
    func conformance(rule: MessageStoreRule) async throws {
        let memory = MemoryStore()
        let cluster = InProcessCluster(store: memory)
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
        #expect(memory.failures == 0)
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

    @Test("A history whose messages were deleted or have expired leaves no key, and a message that comes meanwhile stays (CB-7)")
    func emptyHistories() async throws {
        let redis = try RedisProcess()
        let link = try startedLink(redis)
        let factory = ContextFactory()
        try await InProcessCluster(store: WindowedStore(link)).lead(by: [.pubnub: factory])
        let context = try #require(factory.context.withLockedValue { $0 })
        let clock = NIOLockedValueBox<UInt64>(17_000_000_000_000_000)
        let store = RedisMessageStore(output: context.output, reader: context.store, now: { clock.withLockedValue { $0 } })
        func keep(_ channel: Identifier, expires: UInt64? = nil) async throws {
            let time = clock.withLockedValue { time in
                time += 1
                return time
            }
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let message = StoredMessage(
                    timetoken: time, channel: channel, payload: [49], isStored: true, expires: expires.map { time + $0 })
                store.append(message, with: nil, application: "demo") {
                    if let error = $0 { continuation.resume(throwing: error) } else { continuation.resume() }
                }
            }
        }
        func histories() async throws -> [String] {
            try await store.flush()
            let keys = try await link.send(RedisCommand("KEYS", "*pubnub:h:*"), within: .seconds(30)).elements ?? []
            return keys.compactMap { $0.text?.split(separator: ":").last.map(String.init) }.sorted()
        }
        for channel in ["deleted", "partly", "expired", "mixed"] as [Identifier] {
            try await keep(channel, expires: channel == "expired" || channel == "mixed" ? 10_000_000 : nil)
        }
        try await keep("partly")
        try await keep("mixed")
        #expect(try await histories() == ["deleted", "expired", "mixed", "partly"])
        #expect(try await store.delete(channel: "deleted", start: nil, end: nil, application: "demo") == 1)
        #expect(try await store.delete(channel: "partly", start: nil, end: 17_000_000_000_000_002, application: "demo") == 1)
        #expect(try await histories() == ["expired", "mixed", "partly"])
        clock.withLockedValue { $0 += 100_000_000 }
        #expect(try await store.purge("demo") == false)
        #expect(try await histories() == ["mixed", "partly"])
        // A message that comes while its history is being removed is there afterwards.
        for _ in 0..<50 {
            async let deletion = store.delete(channel: "partly", start: nil, end: nil, application: "demo")
            try await keep("partly")
            _ = try await deletion
            try await keep("partly")
            let query = HistoryQuery(channel: "partly", start: nil, end: nil, limit: 10, isOldestFirst: false)
            #expect(try await !store.history(query, application: "demo").isEmpty)
        }
        link.close()
    }
}
