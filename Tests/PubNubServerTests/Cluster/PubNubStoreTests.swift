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

    /// A store whose clock each message advances.
    private struct Opened {
        let store: RedisMessageStore
        let context: ClusterLeaderContext
        let clock: NIOLockedValueBox<UInt64>

        init(_ cluster: InProcessCluster, _ clock: NIOLockedValueBox<UInt64>) async throws {
            let factory = ContextFactory()
            try await cluster.lead(by: [.pubnub: factory])
            context = try #require(factory.context.withLockedValue { $0 })
            store = RedisMessageStore(
                output: context.output, reader: context.store, term: context.term, now: { clock.withLockedValue { $0 } })
            self.clock = clock
        }

        /// Stores messages of one byte each.
        func keep(_ channels: Identifier..., expires: UInt64? = nil) async throws {
            for channel in channels {
                let time = clock.withLockedValue { time in
                    time += 1
                    return time
                }
                let message = StoredMessage(
                    timetoken: time, channel: channel, payload: [49], isStored: true, expires: expires.map { time + $0 })
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                    store.append(message, with: nil, application: "demo") {
                        if let error = $0 { continuation.resume(throwing: error) } else { continuation.resume() }
                    }
                }
            }
        }
    }

    @Test("CB-60: a leader goes on with the totals of the one before, and counts anew what a version without totals has stored")
    func totals() async throws {
        let memory = MemoryStore()
        let cluster = InProcessCluster(store: memory)
        let clock = NIOLockedValueBox<UInt64>(17_000_000_000_000_000)
        let first = try await Opened(cluster, clock)
        try await first.keep("a", "b", "a")
        #expect(
            try await first.store.trim(["demo": HistoryLimits(messages: 9)]) == ["demo": HistoryUsage(messages: 3, bytes: 3)])
        try await first.keep("b", "c")
        await first.store.close()
        let second = try await Opened(cluster, clock)
        _ = try await second.store.restore()
        #expect(second.store.counted("demo").map { [$0.messages, $0.bytes] } == [5, 5])
        await second.store.close()
        // Without totals, as a leader of the version before.
        let former = try await Opened(cluster, clock)
        try await former.keep("a")
        await former.store.close()
        let third = try await Opened(cluster, clock)
        _ = try await third.store.restore()
        #expect(third.store.counted("demo") == nil)
        #expect(
            try await third.store.trim(["demo": HistoryLimits(messages: 2)])
                == ["demo": HistoryUsage(messages: 2, bytes: 2, removed: 4)])
        for (channel, count) in ["a": 1, "b": 0, "c": 1] as [Identifier: Int] {
            let query = HistoryQuery(channel: channel, start: nil, end: nil, limit: 10, isOldestFirst: false)
            #expect(try await third.store.history(query, application: "demo").count == count)
        }
        third.store.stopCounting("demo")
        try await third.store.flush()
        let keys = third.store.keys.counted("demo")
        #expect(try await third.store.reader.text(of: keys.totals) == nil)
        #expect(try await third.store.reader.fieldNames(of: keys.sizes).isEmpty)
        #expect(try await third.store.reader.ranked(in: keys.order, limit: 9).isEmpty)
        #expect(memory.failures == 0)
        await third.store.close()
    }

    @Test("CB-60: what a leader of the version before has deleted no longer counts")
    func deletedBefore() async throws {
        let cluster = InProcessCluster(store: MemoryStore())
        let clock = NIOLockedValueBox<UInt64>(17_000_000_000_000_000)
        let first = try await Opened(cluster, clock)
        try await first.keep("a", "b", "a", "a", "b")
        #expect(
            try await first.store.trim(["demo": HistoryLimits(messages: 5)]) == ["demo": HistoryUsage(messages: 5, bytes: 5)])
        await first.store.close()
        // It deletes without counting, and the newest message stays.
        let former = try await Opened(cluster, clock)
        #expect(try await former.store.delete(channel: "a", start: nil, end: nil, application: "demo") == 3)
        await former.store.close()
        let next = try await Opened(cluster, clock)
        _ = try await next.store.restore()
        try await next.keep("c", "c", "c")
        #expect(
            try await next.store.trim(["demo": HistoryLimits(messages: 5)]) == ["demo": HistoryUsage(messages: 5, bytes: 5)])
        await next.store.close()
    }

    @Test("CB-60: a leader counts only keysets of its partition that have limits of messages or bytes")
    func countedKeysets() async throws {
        let opened = try await Opened(
            InProcessCluster(store: MemoryStore()), NIOLockedValueBox<UInt64>(17_000_000_000_000_000))
        let journal = try await ClusterWebhookJournal(
            opened.context, of: .pubnub, key: opened.store.keys.webhooks, clock: .system,
            logger: LogLines().logger())
        let leader = LeaderMessageStore(opened.store, output: opened.context.output, journal: journal) { $0 != "elsewhere" }
        try await opened.keep("a", "a")
        func trim(_ limits: HistoryLimits) async throws -> [Identifier: HistoryUsage] {
            try await leader.trim(["demo": limits, "elsewhere": HistoryLimits(messages: 1)])
        }
        #expect(try await trim(HistoryLimits(lowest: 1)).isEmpty)
        #expect(opened.store.counted("demo") == nil)
        #expect(try await trim(HistoryLimits(bytes: 1)) == ["demo": HistoryUsage(messages: 1, bytes: 1, removed: 1)])
        #expect(opened.store.counted("demo") != nil)
        #expect(try await trim(HistoryLimits()).isEmpty)
        #expect(opened.store.counted("demo") == nil)
        await leader.close()
    }

    @Test("CB-60: messages that have expired or were deleted no longer count")
    func uncounted() async throws {
        let clock = NIOLockedValueBox<UInt64>(17_000_000_000_000_000)
        let opened = try await Opened(InProcessCluster(store: MemoryStore()), clock)
        let (store, limits) = (opened.store, ["demo": HistoryLimits(messages: 9)] as [Identifier: HistoryLimits])
        try await opened.keep("a", "b", expires: 10_000_000)
        #expect(try await store.trim(limits) == ["demo": HistoryUsage(messages: 2, bytes: 2)])
        try await opened.keep("a", "b", "b")
        clock.withLockedValue { $0 += 100_000_000 }
        #expect(try await store.purge("demo") == false)
        #expect(try await store.trim(limits) == ["demo": HistoryUsage(messages: 3, bytes: 3)])
        // Two deletions at the same time count each message once.
        async let other = store.delete(channel: "b", start: nil, end: nil, application: "demo")
        _ = try await store.delete(channel: "b", start: nil, end: nil, application: "demo")
        _ = try await other
        #expect(try await store.trim(limits) == ["demo": HistoryUsage(messages: 1, bytes: 1)])
        await store.close()
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
