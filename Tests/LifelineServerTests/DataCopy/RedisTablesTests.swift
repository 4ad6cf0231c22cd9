import ChatServer
import HubStorage
import Identifiers
import PubNubServer
import RedisClient
import RedisStoreEngine
import RedisTestSupport
import ServerCluster
import ServerStorage
import Testing

@testable import LifelineServer

@Suite(
    "The Redis of a cluster as a place to copy from", .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"),
    .timeLimit(.minutes(2)))
struct RedisTablesTests {
    private static let now: UInt64 = 17_000_000_000_000_000

    private func append(
        _ store: RedisMessageStore, _ token: UInt64, _ channel: Identifier = "room", stored: Bool = true, expires: UInt64? = nil
    ) async throws {
        let message = StoredMessage(
            timetoken: token, channel: channel, publisher: "ann", payload: Array("\"\(token)\"".utf8), isStored: stored,
            expires: expires)
        let error: (any Error)? = await withCheckedContinuation { continuation in
            store.append(message, with: nil, application: "a:b%") { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    private func commit(_ store: RedisChatStore, _ id: UInt64, in application: String) async throws {
        var commit = ChatCommit()
        commit.additions = [
            ChatCommit.Addition(
                ChatEvent(id: id, conversation: "group", sender: "ann", clientID: "c\(id)", body: Array("{}".utf8)),
                places: [ChatInboxPlace(user: "bob", sequence: id - Self.now + 1)])
        ]
        commit.receipts = [(id, ChatReceipt(user: "bob", time: 7))]
        let error: (any Error)? = await withCheckedContinuation { continuation in
            store.commit(commit, application: application) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    /// Copies everything, reads it again, and compares.
    private func copy(
        _ redis: RedisConfiguration, to target: any WritableStoredTables, at now: UInt64 = now, rows: Int = 1000,
        staysBeside: Bool = true
    ) async throws -> (summary: DataCopySummary, leftOut: Int) {
        let source = try await RedisTables.open(redis, staysBeside: staysBeside)
        defer { source.close() }
        try await source.load()
        let summary = try await DataCopy(from: source, to: target, expiry: now, limits: .init(rows: rows)).run {
            try await source.load()
        }
        return (summary, source.leftOut)
    }

    private func rows(_ table: StoredTable, of summary: DataCopySummary) -> Int {
        summary.tables.first { $0.table == table }?.targetRows ?? 0
    }

    @Test("DC-13: What has expired is not copied, and a copy that is continued later does not mind what has expired meanwhile")
    func expiry() async throws {
        let redis = try await CopiedRedis()
        let store = redis.messages(now: { Self.now })
        for number in 1...40 as ClosedRange<UInt64> {
            // The expiry of every tenth one is past, that of every other tenth one is close.
            let expires = number % 10 == 0 ? Self.now - 1 : number % 10 == 5 ? Self.now + 100 : nil
            try await append(store, Self.now + number, stored: number % 10 != 3, expires: expires)
        }
        try await store.save(
            access: [
                AccessEntry(.init(.channel, "gone"), expires: Int(Self.now / 10_000_000)), AccessEntry(.init(.channel, "here")),
            ], removing: [], application: "a:b%")
        let target = try SQLiteTables(writingTo: redis.scratch.path + "/target", parts: [.messages, .chat])
        defer { target.close() }
        await #expect(throws: FaultyTables.Interruption.self) {
            _ = try await copy(redis.redis, to: FaultyTables(tables: target, limit: 2), rows: 10)
        }
        // Half an hour later also the messages outside of the history have expired, and Redis has removed one of them.
        try await redis.run("DEL", redis.reader().keys.key("pubnub:q:a%3Ab%25"))
        let later = Self.now + 1800 * 10_000_000
        let (summary, _) = try await copy(redis.redis, to: target, at: later)
        #expect(summary.isEqual)
        #expect(rows(StoredTable.OfMessages.message, of: summary) == 28)
        #expect(rows(StoredTable.OfMessages.access, of: summary) == 1)
    }

    @Test("DC-15: While a server runs, or before its lease has ended, nothing is copied")
    func running() async throws {
        let redis = try await CopiedRedis()
        let leader = redis.reader().keys.key("leader")
        try await redis.run("HSET", leader, "name", "node-a", "generation", "7", "sequence", "1", "expires", "99999999999999")
        await #expect(throws: RedisCopyError.running(leader: "node-a")) {
            try await RedisTables.open(redis.redis, staysBeside: true)
        }
        try await redis.run("HSET", leader, "expires", "0")
        let source = try await RedisTables.open(redis.redis, staysBeside: true)
        try await source.checkRest()
        // A server that leads afterwards is noticed, also when it has ended again.
        try await redis.run("HSET", leader, "generation", "8")
        await #expect(throws: RedisCopyError.started) { try await source.checkRest() }
        await #expect(throws: RedisCopyError.started) { try await source.setBesideDatabase() }
        source.close()
    }

    @Test("DC-15: A Redis without the cluster, one of several, and a cluster with a database are refused")
    func others() async throws {
        let empty = try await CopiedRedis(layout: nil)
        await #expect(throws: RedisCopyError.noCluster(prefix: "lifeline", address: empty.address + "/0")) {
            try await RedisTables.open(empty.redis, staysBeside: true)
        }
        let several = try await CopiedRedis(layout: "partitions=4 redis=2 places=1f channels")
        let beside = try await CopiedRedis(layout: "partitions=1 redis=1 database")
        let unreadable = try await CopiedRedis(layout: "rooms=7")
        await #expect {
            try await RedisTables.open(several.redis, staysBeside: true)
        } throws: { error in
            guard case RedisCopyError.otherRedis = error else { return false }
            return "\(error)".contains("4 partitions on 2 Redis") && "\(error)".contains("give all its Redis")
        }
        await #expect(throws: RedisCopyError.hasDatabase) { try await RedisTables.open(beside.redis, staysBeside: true) }
        await #expect(throws: RedisCopyError.unreadableLayout(key: "{lifeline:lifeline}:layout")) {
            try await RedisTables.open(unreadable.redis, staysBeside: true)
        }
        // A server of a version without layouts has left the record of its leader.
        try await empty.run("HSET", empty.reader().keys.key("leader"), "name", "node-a", "expires", "0")
        try await RedisTables.open(empty.redis, staysBeside: true).close()
        let address = "redis://127.0.0.1:\(RedisProcess.freePort())"
        await #expect {
            try await RedisTables.open(try RedisConfiguration(address: address, node: "test"), staysBeside: true)
        } throws: { error in
            guard case RedisCopyError.unreachable = error else { return false }
            return "\(error)".contains(address)
        }
    }

    @Test(
        "DC-12, DC-18, DC-19: All partitions are copied; of two events with one id, and of two epochs, that of the first partition"
    )
    func partitions() async throws {
        let redis = try await CopiedRedis(layout: "partitions=2 redis=1 channels")
        for partition in 0...1 {
            let messages = redis.messages(partition, among: 2, now: { Self.now })
            for number in 1...3 as ClosedRange<UInt64> {
                try await append(messages, Self.now + number, Identifier("room \(partition)"))
            }
            try await messages.reserve(timetokensUpTo: Self.now + 1000 * UInt64(partition + 1))
            let chat = redis.chat(partition, among: 2, now: { Self.now })
            _ = try await chat.restore([])
            for number in 0...2 as ClosedRange<UInt64> {
                // The first one is the same in both.
                let id = Self.now + number + (number == 0 ? 0 : 10 * UInt64(partition))
                try await commit(chat, id, in: "app \(partition)")
            }
        }
        let directory = redis.scratch.path + "/target"
        let target = try SQLiteTables(writingTo: directory, parts: [.messages, .chat])
        let (summary, leftOut) = try await copy(redis.redis, to: target)
        target.close()
        #expect(summary.isEqual)
        #expect(leftOut == 1)
        #expect(rows(StoredTable.OfMessages.message, of: summary) == 6)
        #expect(rows(StoredTable.OfChat.event, of: summary) == 5)
        #expect(rows(StoredTable.OfChat.receipt, of: summary) == 5)
        #expect(rows(StoredTable.OfChat.inboxEntry, of: summary) == 5)
        let messages = try SQLiteMessageStore(directory: directory, now: { Self.now })
        #expect(try await messages.restore().highestTimetoken == Self.now + 2000)
        await messages.close()
        let chat = try SQLiteChatStore(directory: directory, now: { Self.now })
        let restored = try await chat.restore()
        #expect(restored.applications.mapValues(\.recentSends.count) == ["app 0": 3, "app 1": 2])
        #expect(try await redis.run("GET", redis.reader(0, among: 2).keys.key("chat:epoch")).text == restored.epoch)
        await chat.close()
    }

    @Test("DC-17: The layout is changed after the copy, so that only servers with a database start")
    func layout() async throws {
        let redis = try await CopiedRedis(layout: "partitions=2 redis=1 channels")
        let source = try await RedisTables.open(redis.redis, staysBeside: true)
        try await source.setBesideDatabase()
        source.close()
        #expect(try await redis.run("GET", redis.redis.keys.layout).text == "partitions=2 redis=1 channels database")
        let two = try #require(ClusterPartitions(2))
        let servers = try #require(redis.redis.divided(into: two))
        let ask: (RedisCommand) async throws(RedisFailure) -> RedisValue = { command throws(RedisFailure) in
            try await redis.link.send(command, within: .seconds(30))
        }
        #expect(try await redis.redis.keys.claim(servers.layout(hasDatabase: true), ask) == nil)
        let conflict = try await redis.redis.keys.claim(servers.layout(hasDatabase: false), ask)
        #expect(conflict?.isOfDatabase == true)
        await #expect(throws: RedisCopyError.hasDatabase) { try await RedisTables.open(redis.redis, staysBeside: true) }
    }

    @Test("DC-17: When one Redis does not take the changed layout, all have the former one again")
    func refusedLayout() async throws {
        let (first, second) = (try await CopiedRedis(layout: nil), try await CopiedRedis(layout: nil))
        let redis = try RedisConfiguration(addresses: [first.address, second.address], node: "test", partitions: 2)
        let layout = redis.layout(hasDatabase: false).text
        for one in [first, second] { try await one.run("SET", redis.keys.layout, .text(layout)) }
        let source = try await RedisTables.open(redis, staysBeside: true)
        // It takes no writes.
        try await second.run("CONFIG", "SET", "maxmemory", "1")
        await #expect {
            try await source.setBesideDatabase()
        } throws: { error in
            if case RedisCopyError.failed = error { true } else { false }
        }
        source.close()
        for one in [first, second] { #expect(try await one.run("GET", redis.keys.layout).text == layout) }
    }

    @Test("DC-12: Applications of run time are copied unless they stay in Redis")
    func applications() async throws {
        let redis = try await CopiedRedis()
        let key = redis.redis.keys.key("applications")
        try await redis.run("HSET", key, "#change", "12", "pusher/1001", "\u{1}{}", "chat/shop", "\u{1}[]")
        let source = try await RedisTables.open(redis.redis, staysBeside: true)
        #expect(source.parts == [.messages, .chat])
        source.close()
        let directory = redis.scratch.path + "/target"
        let target = try SQLiteTables(writingTo: directory, parts: Set(StoredPart.allCases))
        let (summary, _) = try await copy(redis.redis, to: target, staysBeside: false)
        target.close()
        #expect(summary.isEqual)
        let store = try SQLiteApplicationStore(directory: directory)
        let stored = try await store.load()
        #expect(stored.version == 12)
        #expect(stored.entries == ["pusher/1001": Array("\u{1}{}".utf8), "chat/shop": Array("\u{1}[]".utf8)])
        await store.close()
    }
}
