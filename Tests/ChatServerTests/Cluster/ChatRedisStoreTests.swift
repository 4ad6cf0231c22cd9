import ClusterTestSupport
import Identifiers
import RedisTestSupport
import ServerCluster
import ServerStorage
import StoreConformance
import Testing

@testable import ChatServer
@testable import PubNubServer
@testable import ServerTestSupport

@Suite("Chat with a store engine in memory", .timeLimit(.minutes(2)))
struct ChatMemoryStoreTests {
    @Test("CR-70: every rule of chat stores holds for an engine in memory", arguments: ChatStoreRule.allCases)
    func conformance(rule: ChatStoreRule) async throws {
        let memory = MemoryStore()
        await #expect(throws: Never.self) {
            try await rule.check { place in
                let context = try await ChatRedis.context(of: memory)
                return RedisChatStore(output: context.output, reader: context.store, now: place.now)
            }
        }
        #expect(memory.failures == 0)
    }

    private static let base: UInt64 = 17_000_000_000_000_000

    /// - Parameter number: which leader it is.
    private func open(_ memory: MemoryStore, number: UInt64 = 1) async throws -> RedisChatStore {
        let context = try await ChatRedis.context(of: memory)
        return RedisChatStore(
            output: context.output, reader: context.store, term: .init(generation: number, former: number - 1),
            now: { Self.base + 100 })
    }

    private func commit(_ store: RedisChatStore, _ change: (inout ChatCommit) -> Void) async throws {
        var commit = ChatCommit()
        change(&commit)
        let ready = commit
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            store.commit(ready, application: "app") { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    /// Stores messages of four bytes each.
    private func say(_ store: RedisChatStore, _ numbers: ClosedRange<UInt64>) async throws {
        try await commit(store) { commit in
            commit.additions = numbers.map { number in
                ChatCommit.Addition(
                    ChatEvent(
                        id: Self.base + number, conversation: number.isMultiple(of: 2) ? "even" : "odd", sender: "ann",
                        clientID: Identifier("\(number)"), body: Array("four".utf8)))
            }
        }
    }

    @Test(
        "CC-43: messages that are rewritten or recalled while they are counted change the totals, also those of the next leader")
    func changes() async throws {
        let memory = MemoryStore()
        let store = try await open(memory)
        let limits: [Identifier: HistoryLimits] = ["app": HistoryLimits(messages: 100)]
        try await say(store, 1...5)
        #expect(try await store.trim(limits) == ["app": HistoryUsage(messages: 5, bytes: 20)])
        try await say(store, 6...9)
        try await commit(store) { $0.rewrites = [(Self.base + 2, Array("longer".utf8)), (Self.base + 7, [1])] }
        try await commit(store) { $0.recalls = [Self.base + 3, Self.base + 77] }
        #expect(try await store.trim(limits) == ["app": HistoryUsage(messages: 8, bytes: 31)])
        // What has changed since then is counted by the next leader.
        try await commit(store) { $0.recalls = [Self.base + 9] }
        try await commit(store) { $0.rewrites = [(Self.base + 7, Array("four".utf8))] }
        await store.close()
        let next = try await open(memory, number: 2)
        _ = try await next.restore(["app"])
        #expect(next.counted("app")?.entries.isWhole == true)
        #expect(try await next.trim(limits) == ["app": HistoryUsage(messages: 7, bytes: 30)])
        #expect(
            try await next.trim(["app": HistoryLimits(bytes: 16)]) == ["app": HistoryUsage(messages: 4, bytes: 16, removed: 3)])
        #expect(memory.failures == 0)
        await next.close()
    }

    @Test("CC-43: what a leader of the version before has stored is counted, and without limits nothing is")
    func formerVersion() async throws {
        let memory = MemoryStore()
        let store = try await open(memory)
        try await say(store, 1...3)
        #expect(try await store.trim(["app": HistoryLimits(messages: 9)]) == ["app": HistoryUsage(messages: 3, bytes: 12)])
        await store.close()
        // Without totals, as a leader of the version before.
        let former = try await open(memory, number: 2)
        try await say(former, 4...7)
        try await commit(former) { $0.recalls = [Self.base + 7] }
        await former.close()
        let next = try await open(memory, number: 3)
        _ = try await next.restore(["app"])
        #expect(next.counted("app") == nil)
        #expect(
            try await next.trim(["app": HistoryLimits(messages: 4)]) == ["app": HistoryUsage(messages: 4, bytes: 16, removed: 2)])
        await next.close()
        let context = try await ChatRedis.context(of: memory)
        let unlimited = RedisChatStore(
            output: context.output, reader: context.store, term: .init(generation: 4, former: 3), counts: { $1.messages != nil },
            now: { Self.base + 100 })
        _ = try await unlimited.restore(["app"])
        #expect(unlimited.counted("app") != nil)
        #expect(try await unlimited.trim(["app": HistoryLimits(lowest: 1)]).isEmpty)
        try await unlimited.settle()
        let keys = unlimited.keys.counted("app")
        #expect(try await context.store.text(of: keys.totals) == nil)
        #expect(try await context.store.fieldNames(of: keys.sizes).isEmpty)
        #expect(try await context.store.ranked(in: keys.order, limit: 9).isEmpty)
        #expect(memory.failures == 0)
        await unlimited.close()
    }
}

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

    private static let hour: UInt64 = 36_000_000_000

    private func event(_ id: UInt64, _ conversation: Identifier) -> ChatEvent {
        ChatEvent(id: id, conversation: conversation, sender: "ann", clientID: nil, body: Array("{}".utf8))
    }

    private func commit(_ store: RedisChatStore, _ commit: ChatCommit) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            store.commit(commit, application: "app") { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    @Test("CR-42: Numbers that nobody gave out do not end the process when a leader restores them")
    func absurd() async throws {
        let redis = try ChatRedis()
        let context = try await redis.context()
        let names = ["chat:highest", "pubnub:reserved", "pubnub:began"]
        let writes = names.map { StoreWrite.set(context.store.key($0), .text("\(UInt64.max)")) }
        await withCheckedContinuation { continuation in redis.store.write(writes) { _ in continuation.resume() } }
        let chat = RedisChatStore(output: context.output, reader: context.store, hasLost: true, now: { 100 * Self.hour })
        #expect(try await chat.restore([]).highestID >= UInt64(Int64.max))
        let messages = RedisMessageStore(
            output: context.output, reader: context.store, settings: RedisStoreSettings(), hasLost: true, now: { 100 * Self.hour }
        )
        let restored = try await messages.restore()
        let tokens = StreamStorage(store: ReplicaStore(), restored: restored, unixTicks: { 100 * Self.hour }).tokens
        #expect(tokens.next() > 0 && tokens.time > 0)
    }

    @Test("CC-17: After a loss the inboxes begin another life, and ids a leap behind all that is known")
    func loss() async throws {
        let redis = try ChatRedis()
        let context = try await redis.context()
        let now = 100 * Self.hour
        let store = RedisChatStore(output: context.output, reader: context.store, now: { now })
        let before = try await store.restore([])
        var change = ChatCommit()
        change.additions = [
            ChatCommit.Addition(event(now + 5, "g"), places: [ChatInboxPlace(user: "ann", sequence: 1)])
        ]
        try await commit(store, change)
        let same = RedisChatStore(output: context.output, reader: context.store, now: { now })
        #expect(try await same.restore([]).epoch == before.epoch)
        let lost = RedisChatStore(output: context.output, reader: context.store, hasLost: true, now: { now })
        let after = try await lost.restore([])
        #expect(after.epoch != before.epoch)
        // Ten seconds, in units of 100 ns.
        #expect(after.highestID >= now + 5 + 100_000_000)
        // The new life is kept with what is decided in it.
        change.additions = [ChatCommit.Addition(event(after.highestID + 1, "g"))]
        try await commit(lost, change)
        let next = RedisChatStore(output: context.output, reader: context.store, now: { now })
        #expect(try await next.restore([]).epoch == after.epoch)
    }

    @Test("CC-16: Purging leaves no stream, mark or list entry of conversations and inboxes of which nothing is left")
    func purging() async throws {
        let redis = try ChatRedis()
        let context = try await redis.context()
        let store = RedisChatStore(output: context.output, reader: context.store, now: { 100 * Self.hour })
        for (index, conversation) in (["old", "both", "new"] as [Identifier]).enumerated() {
            let ids = [2 * Self.hour, 50 * Self.hour].map { $0 + UInt64(index) }
            for id in conversation == "both" ? ids : [conversation == "old" ? ids[0] : ids[1]] {
                var change = ChatCommit()
                change.additions = [
                    ChatCommit.Addition(event(id, conversation), places: [ChatInboxPlace(user: conversation, sequence: id)])
                ]
                change.receipts = [(id, ChatReceipt(user: "bob", time: 1))]
                change.hidden = [("bob", id)]
                change.hiddenUpTo = [("bob", conversation, id)]
                try await commit(store, change)
            }
        }
        func keys() async throws -> [String] {
            try await redis.keys("chat:h:*", "chat:in:*", "chat:hu:*", "chat:rc:*", "chat:[elxru]:*")
        }
        #expect(try await keys().count == 21)
        try await store.purge(inboxBefore: 10 * Self.hour, historyBefore: 10 * Self.hour)
        let left = try await keys()
        #expect(left.count == 12, "\(left)")
        #expect(!left.contains { $0.contains("old") })
        #expect(
            try await store.history(ChatHistoryQuery(conversation: "both", limit: 10), application: "app").map(\.id) == [
                50 * Self.hour + 1
            ])
        // Places go on where they were, and a conversation that was removed can begin again.
        #expect(try await store.restore().applications["app"]?.inboxes["old"]?.last == 2 * Self.hour)
        var change = ChatCommit()
        change.additions = [ChatCommit.Addition(event(60 * Self.hour, "old"))]
        try await commit(store, change)
        #expect(try await store.history(ChatHistoryQuery(conversation: "old", limit: 10), application: "app").count == 1)
        try await store.purge(inboxBefore: 90 * Self.hour, historyBefore: 90 * Self.hour)
        #expect(try await keys() == [])
        await store.close()
    }

    @Test("CC-16: A message that comes while its conversation is being removed stays")
    func purgingMeanwhile() async throws {
        let redis = try ChatRedis()
        let context = try await redis.context()
        let store = RedisChatStore(output: context.output, reader: context.store, now: { 100 * Self.hour })
        var id: UInt64 = 2 * Self.hour
        for _ in 0..<40 {
            id += Self.hour
            var change = ChatCommit()
            change.additions = [ChatCommit.Addition(event(id, "room"), places: [ChatInboxPlace(user: "ann", sequence: id)])]
            let floor = id
            async let purge: Void = store.purge(inboxBefore: floor, historyBefore: floor)
            try await commit(store, change)
            try await purge
            let query = ChatHistoryQuery(conversation: "room", limit: 1)
            #expect(try await store.history(query, application: "app").map(\.id) == [id])
            #expect(try await store.inbox(of: "ann", after: id - 1, limit: 10, application: "app").map(\.sequence) == [id])
        }
        await store.close()
    }
}
