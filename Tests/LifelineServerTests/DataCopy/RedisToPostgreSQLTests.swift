import ChatServer
import Identifiers
import PostgreSQLStorage
import PostgresTestSupport
import PubNubServer
import RedisTestSupport
import ServerStorage
import Testing

@testable import LifelineServer

@Suite(
    "From the Redis of a cluster to PostgreSQL beside it", .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"),
    .enabled(if: PostgresProcess.isInstalled, "\(PostgresProcess.reason)"), .timeLimit(.minutes(2)))
struct RedisToPostgreSQLTests {
    @Test("DC-12, DC-17: A leader that begins with the database has what was in Redis, and goes on behind it")
    func beside() async throws {
        let (redis, postgres) = (try await CopiedRedis(), try PostgresProcess())
        let base = systemTicks() - 36_000_000_000
        let (messages, chat) = (redis.messages(), redis.chat())
        for number in 1...250 as ClosedRange<UInt64> {
            let message = StoredMessage(timetoken: base + number, channel: "room", publisher: "ann", payload: [0x31])
            let error: (any Error)? = await withCheckedContinuation { continuation in
                messages.append(message, with: nil, application: "app") { continuation.resume(returning: $0) }
            }
            #expect(error == nil)
        }
        try await messages.save(group: "g", channels: ["b", "a"], application: "app")
        let epoch = try await chat.restore().epoch
        for number in 1...120 as ClosedRange<UInt64> {
            var commit = ChatCommit()
            let event = ChatEvent(
                id: base + number, conversation: number.isMultiple(of: 2) ? "talk" : nil, sender: "ann", clientID: "c\(number)",
                body: Array("{}".utf8))
            commit.additions = [ChatCommit.Addition(event, places: [ChatInboxPlace(user: "bob", sequence: number)])]
            commit.documents = [.user(ChatDocument.User(id: Identifier("user \(number)")))]
            let error: (any Error)? = await withCheckedContinuation { [commit] continuation in
                chat.commit(commit, application: "shop") { continuation.resume(returning: $0) }
            }
            #expect(error == nil)
        }
        let settings = PostgreSQLSettings(url: postgres.url, poolSize: 2)
        let source = try await RedisTables.open(redis.redis, staysBeside: true)
        let target = try PostgreSQLTables.writing(settings, parts: source.parts)
        try await source.load()
        let summary = try await DataCopy(from: source, to: target, expiry: systemTicks(), limits: .init(rows: 70)).run {
            try await source.load()
        }
        #expect(summary.isEqual, "\(summary.tables.filter { !$0.isEqual }.map(\.table.title))")
        #expect(source.leftOut == 0)
        try await source.setBesideDatabase()
        source.close()
        target.close()

        let shared = try await PostgreSQLSharedMessageStore.open(settings, cluster: redis.redis.prefix)
        let term = LeaderTerm(partition: 0, number: 1)
        let leader = try await shared.begin(term)
        let restored = try await leader.restore(["app"])
        #expect(restored.groups["app"] == ["g": ["b", "a"]])
        #expect(restored.highestTimetoken >= base + 250)
        let page = try await shared.history(HistoryQuery(channel: "room", limit: 300, isOldestFirst: true), application: "app")
        #expect(page.map(\.timetoken) == (1...250).map { base + $0 })
        await leader.close()
        await shared.close()
        let talks = try await PostgreSQLSharedChatStore.open(settings, cluster: redis.redis.prefix)
        let host = try await talks.begin(term)
        let state = try await host.restore(["shop"])
        #expect(state.epoch == epoch && state.highestID >= base + 120)
        #expect(state.applications["shop"]?.documents.count == 120)
        #expect(state.applications["shop"]?.inboxes["bob"]?.last == 120)
        #expect(try await host.inbox(of: "bob", after: 0, limit: 500, application: "shop").map(\.sequence) == Array(1...120))
        let history = ChatHistoryQuery(conversation: "talk", isOldestFirst: true, limit: 100)
        #expect(try await host.history(history, application: "shop").count == 60)
        await host.close()
        await talks.close()
    }
}
