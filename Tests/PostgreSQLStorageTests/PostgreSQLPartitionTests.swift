import Identifiers
import NIOConcurrencyHelpers
import PostgresTestSupport
import ServerStorage
import ServerValues
import Testing

@testable import PostgreSQLStorage

@Suite(.enabled(if: PostgresProcess.isInstalled, "\(PostgresProcess.reason)"), .timeLimit(.minutes(2)))
struct PostgreSQLPartitionTests {
    private static let day = UInt64(HistoryTrimmer.day)
    private static let today: UInt64 = 20_000
    /// Kept for as long as the test runs.
    private let server: PostgresProcess

    init() throws { server = try PostgresProcess.shared() }

    /// A store with a clock of the test's own, at the noon of a day.
    private final class Clock: Sendable {
        private let ticks = NIOLockedValueBox(today * day + day / 2)
        var now: @Sendable () -> UInt64 { { [ticks] in ticks.withLockedValue { $0 } } }
        func pass(days: UInt64) { ticks.withLockedValue { $0 += days * day } }
    }

    private func names(of table: String, _ connection: PostgresConnection) throws -> [String] {
        try PostgresPartitions(table: table, column: "x").list(connection).map(\.name)
    }

    private func count(_ table: String, _ connection: PostgresConnection) throws -> Int64? {
        try connection.fetch("SELECT count(*) FROM ONLY \(table)").integer(0, 0)
    }

    @Test func `PG-31: partitions are made ahead, and what is late or early is stored all the same and moves there`() async throws
    {
        let settings = PostgreSQLSettings(server, schema: "ahead")
        let clock = Clock()
        let store = try await PostgreSQLMessageStore.open(settings, purgesInBackground: false, now: clock.now)
        let connection = try connection(settings)
        #expect(try names(of: "message", connection) == ["message_d20000", "message_d20001", "message_d20002"])
        let tokens = [7, Self.today * Self.day, (Self.today + 1) * Self.day, (Self.today + 5) * Self.day, UInt64(Int64.max)]
        for token in tokens.shuffled() { try await store.append(message(token)) }
        #expect(try await store.tokens() == tokens)
        #expect(try count("message_rest", connection) == 3)
        let newest = HistoryQuery(channel: "room", limit: 2)
        #expect(try await store.history(newest, application: "app").map(\.timetoken) == tokens.suffix(2))
        clock.pass(days: 4)
        try await store.maintainPartitions()
        #expect(try names(of: "message", connection).suffix(3) == ["message_d20004", "message_d20005", "message_d20006"])
        #expect(try count("message_d20005", connection) == 1 && count("message_rest", connection) == 2)
        #expect(try await store.tokens() == tokens)
        #expect(try await store.counts(["room": 7], application: "app") == ["room": 4])
        await #expect(throws: PostgreSQLStoreError.duplicate) { try await store.append(message(tokens[3])) }
        #expect(try await store.delete(channel: "room", start: nil, end: nil, application: "app") == 5)
        await store.close()
    }

    @Test func `PG-31: a page that is read while a partition is made has the messages that move there`() async throws {
        let settings = PostgreSQLSettings(server, schema: "moving")
        let store = try await PostgreSQLMessageStore.open(settings, purgesInBackground: false, now: Clock().now)
        let token = (Self.today + 5) * Self.day
        try await store.append(message(token))
        let (maker, observer) = (try connection(settings), try connection(settings))
        try maker.execute("BEGIN")
        try PostgresPartitions.messages.make(Int64(Self.today + 5), maker)
        async let page = store.tokens()
        let waiting = """
            SELECT 1 FROM pg_locks WHERE NOT granted AND relation IN ('message'::regclass, 'message_rest'::regclass)
            """
        while try observer.run(waiting).count == 0 { try Task.checkCancellation() }
        try maker.execute("COMMIT")
        #expect(try await page == [token])
        await store.close()
    }

    @Test func `PG-32: a partition is dropped when all of its messages have expired, and not emptied before`() async throws {
        let settings = PostgreSQLSettings(server, schema: "dropping")
        let clock = Clock()
        let store = try await PostgreSQLMessageStore.open(settings, purgesInBackground: false, now: clock.now)
        let connection = try connection(settings)
        func append(_ day: UInt64, _ number: UInt64, days lifetime: UInt64?) async throws {
            let token = (Self.today + day) * Self.day + number
            try await store.append(message(token, expires: lifetime.map { token + $0 * Self.day }))
        }
        for number in 1...3 as ClosedRange<UInt64> { try await append(0, number, days: 3) }
        try await append(1, 1, days: nil)
        try await append(1, 2, days: 3)
        clock.pass(days: 3)
        try await store.maintainPartitions()
        // Those of the first day have expired.
        #expect(try !self.names(of: "message", connection).contains("message_d20000"))
        #expect(try await store.tokens().count == 2)
        #expect(try await store.purge() == 0)
        clock.pass(days: 2)
        try await store.maintainPartitions()
        // The second day has a message that does not expire, so its expired one is deleted.
        #expect(try await store.purge() == 1)
        #expect(try await store.tokens() == [(Self.today + 1) * Self.day + 1])
        let names = try names(of: "message", connection)
        #expect(names.contains("message_d20001") && !names.contains("message_d20000") && !names.contains("message_d20003"))
        #expect(try await store.trim(["app": HistoryLimits()]) == ["app": HistoryUsage(messages: 1, bytes: 19)])
        await store.close()
    }

    @Test func `PG-32: a partition whose messages expire within a day waits for its end`() async throws {
        let settings = PostgreSQLSettings(server, schema: "waiting")
        let clock = Clock()
        let store = try await PostgreSQLMessageStore.open(settings, purgesInBackground: false, now: clock.now)
        let noon = clock.now()
        for hour in 0...4 as ClosedRange<UInt64> {
            try await store.append(message(noon + hour, expires: noon + 2 * Self.day + hour * Self.day / 24))
        }
        clock.pass(days: 2)
        try await store.maintainPartitions()
        #expect(try await store.tokens().count == 4, "The first one has expired")
        #expect(try await store.purge() == 0, "It goes with its partition")
        #expect(try count("message_d20000", connection(settings)) == 5)
        await store.close()
    }

    @Test func `PG-32: a partition that is being read for long is dropped later, and stops no other`() async throws {
        let settings = PostgreSQLSettings(server, schema: "held")
        let clock = Clock()
        let store = try await PostgreSQLMessageStore.open(settings, purgesInBackground: false, now: clock.now)
        let connection = try connection(settings)
        for day in 0...1 as ClosedRange<UInt64> {
            let token = (Self.today + day) * Self.day + 1
            try await store.append(message(token, expires: token + Self.day))
        }
        clock.pass(days: 4)
        try connection.execute("BEGIN")
        #expect(try count("message_d20000", connection) == 1)
        try await store.maintainPartitions()
        #expect(try await store.tokens().isEmpty)
        try connection.execute("COMMIT")
        let left = try names(of: "message", connection)
        #expect(left.contains("message_d20000") && !left.contains("message_d20001"))
        try await store.maintainPartitions()
        #expect(try !self.names(of: "message", connection).contains("message_d20000"))
        await store.close()
    }

    @Test func `PG-32: reads go on while partitions are made and dropped`() async throws {
        let settings = PostgreSQLSettings(server, schema: "reading")
        let clock = Clock()
        let store = try await PostgreSQLMessageStore.open(settings, purgesInBackground: false, now: clock.now)
        try await store.append(message(clock.now()))
        let isOver = NIOLockedValueBox(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { () async throws -> Void in
                    while !isOver.withLockedValue({ $0 }) {
                        let tokens = try await store.tokens()
                        let counts = try await store.counts(["room": 0], application: "app")
                        #expect(tokens.count == 1 && counts == ["room": 1])
                    }
                }
            }
            for _ in 0..<20 {
                clock.pass(days: 3)
                try await store.maintainPartitions()
            }
            isOver.withLockedValue { $0 = true }
            try await group.waitForAll()
        }
        let days = (Self.today + 60)...(Self.today + 62)
        #expect(try names(of: "message", connection(settings)) == ["message_d20000"] + days.map { "message_d\($0)" })
        await store.close()
    }

    @Test
    func `PG-30 PG-34: rows of before are counted and become a partition, and a server of before refuses the tables afterwards`()
        async throws
    {
        let settings = PostgreSQLSettings(server, schema: "before")
        var store = try await PostgreSQLMessageStore.open(settings, purgesInBackground: false)
        await store.close()
        let connection = try connection(settings)
        try connection.execute("DROP TABLE message, message_action, group_channel, access, record, message_usage")
        try connection.execute(MessageTables.migrations[0])
        try connection.execute(
            """
            INSERT INTO message (application, timetoken, channel, payload, kind, stored, expires)
            SELECT 'app', number * 10000000000, 'room', '1', 0, true, CASE WHEN number > 15000 THEN NULL ELSE 5 END
            FROM generate_series(1, 17000) AS number;
            UPDATE store SET version = 1
            """)
        store = try await PostgreSQLMessageStore.open(settings, purgesInBackground: false)
        #expect(try await store.tokens().count == 2000)
        let now = systemTicks()
        try await store.append(message(now))
        #expect(try await store.tokens().last == now)
        #expect(try await store.trim(["app": HistoryLimits(messages: 3)])["app"]?.messages == 3)
        while try await store.purge() > 0 {}
        #expect(try await store.tokens().count == 3)
        #expect(try names(of: "message", connection).first == "message_before")
        await store.close()
        let former = PostgresTables(part: "messages", migrations: Array(MessageTables.migrations.dropLast()), settings)
        #expect(throws: PostgreSQLStoreError.newer(schema: "before")) { try former.take(connection) }
    }

    @Test func `PG-36: the oldest messages of a history are found and deleted without those of others`() async throws {
        let settings = PostgreSQLSettings(server, schema: "trimming")
        let clock = Clock()
        let store = try await PostgreSQLMessageStore.open(settings, purgesInBackground: false, now: clock.now)
        let connection = try connection(settings)
        let base = clock.now()
        // Between two messages of one history there are those of nineteen others.
        try connection.execute(
            """
            INSERT INTO message (application, timetoken, channel, payload, kind, stored)
            SELECT convert_to('app ' || number % 20, 'UTF8'), \(base) + number, 'room', '1', 0, number % 100 <> 7
            FROM generate_series(0, 49999) AS number;
            \(MessageUsageStatements.recount);
            ANALYZE message
            """)
        let usage = try await store.trim(["app 7": HistoryLimits(lowest: base + 40_000), "app 8": HistoryLimits(messages: 10)])
        // Every fifth message of this history is not in it, and so is neither counted nor deleted.
        #expect(usage["app 7"] == HistoryUsage(messages: 400, bytes: 400, removed: 1600))
        #expect(usage["app 8"] == HistoryUsage(messages: 10, bytes: 10, removed: 2490))
        #expect(try count("message_d20000", connection) == 50_000 - 1600 - 2490)
        let plan =
            try connection.fetch(
                """
                EXPLAIN (FORMAT JSON) SELECT channel, timetoken FROM message WHERE application = 'app 9' AND stored
                AND timetoken >= \(base) AND timetoken < \(base + Self.day) ORDER BY timetoken LIMIT 101
                """
            ).text(0, 0) ?? ""
        #expect(plan.contains("application_timetoken_idx"), "\(plan)")
        await store.close()
    }

    @Test func `PG-33: a page reads the partitions of its span`() async throws {
        let settings = PostgreSQLSettings(server, schema: "pruning")
        let clock = Clock()
        let store = try await PostgreSQLMessageStore.open(settings, purgesInBackground: false, now: clock.now)
        let connection = try connection(settings)
        for _ in 0..<6 {
            for day in 0..<3 as Range<UInt64> { try await store.append(message(clock.now() + day * Self.day)) }
            clock.pass(days: 3)
            try await store.maintainPartitions()
        }
        #expect(try names(of: "message", connection).count > 15)
        let (lower, upper) = ((Self.today + 6) * Self.day, (Self.today + 7) * Self.day)
        let plan =
            try connection.fetch(
                """
                EXPLAIN (FORMAT JSON) SELECT payload FROM message WHERE application = 'a' AND channel = 'c'
                AND timetoken BETWEEN \(lower) AND \(upper) ORDER BY timetoken DESC LIMIT 100
                """
            ).text(0, 0) ?? ""
        #expect(plan.contains("message_d20006") && plan.contains("message_d20007"))
        for other in ["message_d20005", "message_d20008", "message_rest"] { #expect(!plan.contains(other)) }
        await store.close()
    }

    @Test func `DC-11: the days of what is copied get partitions, and histories are counted in the copy`() async throws {
        let settings = PostgreSQLSettings(server, schema: "copied")
        let table = try #require(StoredTable.all.first { $0.title == "messages.message" })
        let tables = try PostgreSQLTables.writing(settings, parts: [.messages])
        for day in [Self.today, Self.today + 1, 0, 9_000_000] {
            let rows = (1...3 as ClosedRange<UInt64>).map { number -> StoredRow in
                [
                    .bytes(Array("app".utf8)), .bytes(Array("room".utf8)), .integer(Int64(clamping: day * Self.day + number)),
                    .null,
                    .bytes([0x31]), .null, .integer(0), .null, .null, .null, .integer(1), .null,
                ]
            }
            try tables.write(rows, into: table)
        }
        try tables.finish(table)
        tables.close()
        let store = try await PostgreSQLMessageStore.open(settings, purgesInBackground: false)
        #expect(try await store.trim(["app": HistoryLimits()]) == ["app": HistoryUsage(messages: 12, bytes: 12)])
        #expect(try await store.tokens().count == 12)
        let connection = try connection(settings)
        #expect(try names(of: "message", connection).prefix(2) == ["message_d20000", "message_d20001"])
        #expect(try count("message_d20001", connection) == 3 && count("message_rest", connection) == 6)
        await store.close()
    }

    @Test func `PG-32: histories of chat lose whole partitions, with what users have noted about their events`() async throws {
        let settings = PostgreSQLSettings(server, schema: "chat_dropping")
        let clock = Clock()
        let store = try await PostgreSQLChatStore.open(settings, now: clock.now)
        let connection = try connection(settings)
        func commit(_ change: (inout ChatCommit) -> Void) async throws {
            var commit = ChatCommit()
            change(&commit)
            let error: (any Error)? = await withCheckedContinuation { [commit] continuation in
                store.commit(commit, application: "app") { continuation.resume(returning: $0) }
            }
            if let error { throw error }
        }
        let ids = (0...2 as ClosedRange<UInt64>).map { (Self.today + $0) * Self.day + 5 }
        for (number, id) in zip(1..., ids) {
            let event = ChatEvent(
                id: id, conversation: "room", sender: "ann", body: Array("four".utf8), readers: ["ann", "bob"])
            try await commit { $0.additions = [.init(event, places: [ChatInboxPlace(user: "bob", sequence: UInt64(number))])] }
            try await commit {
                $0.receipts = [(id, ChatReceipt(user: "bob", time: 1))]
                $0.hidden = [("zoe", id)]
            }
        }
        clock.pass(days: 3)
        try await store.purge(inboxBefore: ids[2], historyBefore: ids[2])
        let query = ChatHistoryQuery(conversation: "room", isOldestFirst: true, limit: 9)
        #expect(try await store.history(query, application: "app").map(\.id) == [ids[2]])
        #expect(try names(of: "event", connection).first == "event_d20002")
        for table in ["receipt", "hidden"] { #expect(try count(table, connection) == 1, "\(table)") }
        #expect(try count("reader", connection) == 2)
        #expect(try await store.trim(["app": HistoryLimits()]) == ["app": HistoryUsage(messages: 1, bytes: 4)])
        #expect(try await store.restore().applications["app"]?.inboxes["bob"]?.last == 3)
        await store.close()
    }
}
