import Identifiers
import NIOConcurrencyHelpers
import PostgresTestSupport
import ServerStorage
import ServerValues
import StoreConformance
import Testing

@testable import PostgreSQLStorage

@Suite(.enabled(if: PostgresProcess.isInstalled, "\(PostgresProcess.reason)"))
struct PostgreSQLSharedStoreTests {
    @Test(.timeLimit(.minutes(2)))
    func `PG-21: the servers of one cluster use the tables together, and nobody else meanwhile`() async throws {
        let server = try PostgresProcess.shared()
        let settings = PostgreSQLSettings(server, schema: "shared")
        let first = try await PostgreSQLSharedMessageStore.open(settings, cluster: "one")
        let second = try await PostgreSQLSharedMessageStore.open(settings, cluster: "one")
        await #expect(throws: PostgreSQLStoreError.inUse(schema: "shared")) {
            _ = try await PostgreSQLMessageStore.open(settings)
        }
        // The leader writes, and every server reads.
        try await first.begin(LeaderTerm(number: 1)).append(message(1))
        #expect(try await second.history(HistoryQuery(channel: "room", limit: 10), application: "app").map(\.timetoken) == [1])
        #expect(try await second.counts(["room": 0], application: "app") == ["room": 1])
        await #expect(throws: PostgreSQLStoreError.otherCluster(schema: "shared")) {
            _ = try await PostgreSQLSharedMessageStore.open(settings, cluster: "two")
        }
        await second.close()
        await first.close()
        let alone = try await PostgreSQLMessageStore.open(settings)
        await #expect(throws: PostgreSQLStoreError.inUse(schema: "shared")) {
            _ = try await PostgreSQLSharedMessageStore.open(settings, cluster: "one")
        }
        await alone.close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `PG-22: a leader that was followed by another one writes nothing more, whatever it writes`() async throws {
        let server = try PostgresProcess.shared()
        let settings = PostgreSQLSettings(server, schema: "terms")
        let (here, there) = (
            try await PostgreSQLSharedMessageStore.open(settings, cluster: "one"),
            try await PostgreSQLSharedMessageStore.open(settings, cluster: "one")
        )
        let former = try await here.begin(LeaderTerm(partition: 1, number: 5))
        try await former.append(message(1))
        let leader = try await there.begin(LeaderTerm(partition: 1, number: 6))
        let entry = AccessEntry(AccessEntry.Key(.channel, "room"), rights: 1)
        let action = MessageAction(type: "a", value: "b", user: "ann", message: 1, timetoken: 2)
        let writes: [@Sendable () async throws -> Void] = [
            { try await former.append(message(2)) }, { try await former.reserve(timetokensUpTo: 9) },
            { try await former.save(group: "g", channels: ["room"], application: "app") },
            { try await former.save(access: [entry], removing: [], application: "app") },
            { try await former.remove(actions: [action], of: "room", application: "app") },
            { _ = try await former.delete(channel: "room", start: nil, end: nil, application: "app") },
            { try await former.commit([.put(KeysetRecord(.init(.user, [1]), [2]))]) },
        ]
        for write in writes { await #expect(throws: PostgreSQLStoreError.deposed) { try await write() } }
        await #expect(throws: PostgreSQLStoreError.deposed) { _ = try await here.begin(LeaderTerm(partition: 1, number: 5)) }
        // Other partitions have leaders of their own, also on the same server and in the same transaction.
        let other = try await here.begin(LeaderTerm(partition: 2, number: 1))
        let outcomes = await withTaskGroup(of: PostgreSQLStoreError?.self) { group in
            group.addTask { await error { try await former.append(message(3)) } }
            group.addTask { await error { try await other.append(message(4)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.compactMap(\.self) == [.deposed] && outcomes.count == 2)
        try await leader.append(message(5))
        #expect(try await leader.tokens() == [1, 4, 5])
        let state = try await leader.restore(["app"])
        #expect(state.groups.isEmpty && state.access.isEmpty && state.records.isEmpty)
        await here.close()
        await there.close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `PG-22: a term begins behind the transactions of the one before, and what these store is restored`() async throws {
        let server = try PostgresProcess.shared()
        let settings = PostgreSQLSettings(server, schema: "fence")
        let store = try await PostgreSQLSharedMessageStore.open(settings, cluster: "one", now: { 5 })
        // The leader of partition 0 would also purge meanwhile.
        let former = try await store.begin(LeaderTerm(partition: 1, number: 1))
        // Its connection has prepared its statements afterwards, so that the next transaction waits behind its look at the term.
        try await former.append(message(1))
        // The former leader's transaction waits for this one.
        let other = try connection(settings)
        try other.execute("BEGIN; LOCK TABLE message IN EXCLUSIVE MODE")
        async let waiting: Void = former.append(message(2))
        let successor = try await PostgreSQLSharedMessageStore.open(settings, cluster: "one", now: { 5 })
        while try other.run("SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'message'::regclass").count == 0 {
            try Task.checkCancellation()
        }
        async let next = successor.begin(LeaderTerm(partition: 1, number: 2))
        while try other.run("SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'").count == 0 {
            try Task.checkCancellation()
        }
        try other.execute("ROLLBACK")
        try await waiting
        let leader = try await next
        #expect(try await leader.restore(["app"]).recent["app"]?.map(\.timetoken) == [1, 2])
        await #expect(throws: PostgreSQLStoreError.deposed) { try await former.append(message(3)) }
        await successor.close()
        await store.close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `PG-22: chat of a leader that was followed by another one is refused`() async throws {
        let server = try PostgresProcess.shared()
        let settings = PostgreSQLSettings(server, schema: "chatterms")
        let store = try await PostgreSQLSharedChatStore.open(settings, cluster: "one")
        let former = try await store.begin(LeaderTerm(number: 1))
        try await former.commit(.message(1))
        let leader = try await store.begin(LeaderTerm(number: 2))
        await #expect(throws: PostgreSQLStoreError.deposed) { try await former.commit(.message(2)) }
        try await leader.commit(.message(3))
        let query = ChatHistoryQuery(conversation: "c", isOldestFirst: true, limit: 10)
        #expect(try await leader.history(query, application: "app").map(\.id) == [1, 3])
        // Only the first partition's leader deletes what is old, for all.
        let second = try await store.begin(LeaderTerm(partition: 1, number: 1))
        try await second.purge(inboxBefore: 9, historyBefore: 9)
        #expect(try await leader.history(query, application: "app").count == 2)
        try await leader.purge(inboxBefore: 9, historyBefore: 9)
        #expect(try await leader.history(query, application: "app").isEmpty)
        await store.close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `PG-39: leaders of all partitions store chat events of one instant, and no id is stored twice`() async throws {
        let server = try PostgresProcess.shared()
        let settings = PostgreSQLSettings(server, schema: "chatids")
        let store = try await PostgreSQLSharedChatStore.open(settings, cluster: "one")
        let now = systemTicks()
        let query = ChatHistoryQuery(conversation: "c", isOldestFirst: true, limit: 10)
        var stored: Set<UInt64> = []
        for partition in 0..<16 {
            let leader = try await store.begin(LeaderTerm(partition: partition, number: 1))
            var clock = TimetokenClock(after: now - 1, reserves: false, step: 1, share: TimetokenShare(partition, of: 16))
            let ids = (0..<3).map { _ in clock.next(at: now) }
            for id in ids { try await leader.commit(.message(id), in: "app-\(partition)") }
            #expect(try await leader.history(query, application: "app-\(partition)").map(\.id) == ids)
            #expect(try await leader.restore(["app-\(partition)"]).highestID >= clock.last)
            stored.formUnion(ids)
        }
        #expect(stored.count == 48)
        let other = try await store.begin(LeaderTerm(partition: 1, number: 2))
        for id in stored.sorted().prefix(3) {
            await #expect(throws: PostgreSQLStoreError.duplicate) { try await other.commit(.message(id), in: "other") }
        }
        #expect(try await other.history(query, application: "other").isEmpty)
        await store.close()
    }

    @Test(.timeLimit(.minutes(5)))
    func `PG-23: the store of a leader fulfils every rule for message stores`() async throws {
        let server = try PostgresProcess.shared()
        let terms = NIOLockedValueBox<UInt64>(0)
        for rule in MessageStoreRule.allCases {
            await #expect(throws: Never.self) {
                try await rule.check { place in
                    var settings = PostgreSQLSettings(server, place)
                    settings.schema = "led-" + place.name
                    let shared = try await PostgreSQLSharedMessageStore.open(settings, cluster: "one", now: place.now)
                    let term = terms.withLockedValue { term in
                        term += 1
                        return term
                    }
                    return try await shared.begin(LeaderTerm(number: term))
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `PG-23: a leader makes the partitions of the cluster's tables, and a former one makes none`() async throws {
        let server = try PostgresProcess.shared()
        let settings = PostgreSQLSettings(server, schema: "ledpartitions")
        let store = try await PostgreSQLSharedMessageStore.open(settings, cluster: "one")
        let observer = try connection(settings)
        func count() throws -> Int {
            try observer.run("SELECT 1 FROM pg_inherits WHERE inhparent = 'message'::regclass").count
        }
        // The leader of another partition than the first one does nothing by itself, so nothing happens meanwhile.
        let former = try #require(try await store.begin(LeaderTerm(partition: 1, number: 1)) as? PostgreSQLMessageStore)
        #expect(try count() == 1, "only the one for all other days")
        try await former.maintainPartitions()
        // Today and the days ahead.
        #expect(try count() == 2 + Int(PostgresPartitions.daysAhead))
        _ = try await store.begin(LeaderTerm(partition: 1, number: 2))
        await #expect(throws: PostgreSQLStoreError.deposed) { try await former.maintainPartitions() }
        await store.close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `PG-24: tables of an older version are changed only when no other server of the cluster uses them`() async throws {
        let server = try PostgresProcess.shared()
        let settings = PostgreSQLSettings(server, schema: "upgrade")
        var shared = settings
        shared.cluster = "one"
        let statements = MessageStatements(catchUp: 1)
        let (old, new) = (["CREATE TABLE a (id int8)"], ["CREATE TABLE a (id int8)", "CREATE TABLE b (id int8)"])
        let older = try await PostgresDatabase.open(shared, part: "messages", migrations: old, items: statements)
        await #expect(throws: PostgreSQLStoreError.olderServers(schema: "upgrade")) {
            _ = try await PostgresDatabase.open(shared, part: "messages", migrations: new, items: statements)
        }
        await older.close()
        let newer = try await PostgresDatabase.open(shared, part: "messages", migrations: new, items: statements)
        await #expect(throws: PostgreSQLStoreError.newer(schema: "upgrade")) {
            _ = try await PostgresDatabase.open(shared, part: "messages", migrations: old, items: statements)
        }
        await newer.close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `PG-40: a transaction that a deadlock undid is done again, and refused after the third time`() async throws {
        let server = try PostgresProcess()
        let settings = PostgreSQLSettings(server)
        let store = try await PostgreSQLSharedMessageStore.open(settings, cluster: "one")
        let leader = try await store.begin(LeaderTerm(number: 1))
        let other = try connection(settings)
        // A sequence keeps its number when a transaction is undone. So the first two inserts fail, then the fourth to the sixth.
        try other.execute(
            """
            CREATE SEQUENCE attempt;
            CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('attempt') <> 3 THEN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'; END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER conflict BEFORE INSERT ON message FOR EACH ROW EXECUTE FUNCTION conflict()
            """)
        try await leader.append(message(1))
        await #expect(throws: PostgreSQLStoreError.refused(reason: "deadlock detected", code: "40P01")) {
            try await leader.append(message(2))
        }
        #expect(try other.run("SELECT last_value FROM attempt").integer(0, 0) == 6)
        try other.execute("DROP TRIGGER conflict ON message")
        try await leader.append(message(3))
        let page = try await store.history(HistoryQuery(channel: "room", limit: 10), application: "app").map(\.timetoken)
        #expect(page.sorted() == [1, 3])
        await store.close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `PG-24: an index is added when a server starts alone, and both versions start without it before`() async throws {
        let server = try PostgresProcess.shared()
        var settings = PostgreSQLSettings(server, schema: "upgradeindex")
        let observer = try connection(settings)
        settings.cluster = "one"
        let statements = MessageStatements(catchUp: 1)
        let old = ["CREATE TABLE a (id int8)"]
        let new = old + ["CREATE INDEX IF NOT EXISTS a_id ON a (id)", "CREATE INDEX IF NOT EXISTS a_other ON a (id)"]
        func open(_ migrations: [String]) async throws -> PostgresDatabase<MessageStatements> {
            try await PostgresDatabase.open(settings, part: "messages", migrations: migrations, items: statements)
        }
        func state() throws -> [Int64?] {
            let indexes = "SELECT count(*) FROM pg_indexes WHERE schemaname = 'upgradeindex' AND tablename = 'a'"
            return try ["SELECT version FROM store", indexes].map { try observer.run($0).integer(0, 0) }
        }
        var older = try await open(old)
        let newer = try await open(new)
        #expect(try state() == [1, 0])
        await older.close()
        older = try await open(old)
        await older.close()
        #expect(try state() == [1, 0])
        await newer.close()
        // A person may have made one by hand.
        try observer.execute("CREATE INDEX a_other ON a (id)")
        try await open(new).close()
        #expect(try state() == [3, 2])
        await #expect(throws: PostgreSQLStoreError.newer(schema: "upgradeindex")) { _ = try await open(old) }
    }

    @Test(.timeLimit(.minutes(2)))
    func `PG-25: a full disk and a database that takes no writes refuse messages, and reads go on`() async throws {
        let server = try PostgresProcess()
        let settings = PostgreSQLSettings(server)
        let store = try await PostgreSQLSharedMessageStore.open(settings, cluster: "one")
        let leader = try await store.begin(LeaderTerm(number: 1))
        try await leader.append(message(1))
        let other = try connection(settings)
        try other.execute(
            """
            CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
            CREATE TRIGGER full_disk BEFORE INSERT ON message FOR EACH ROW EXECUTE FUNCTION full_disk()
            """)
        await #expect(throws: PostgreSQLStoreError.full) { try await leader.append(message(2)) }
        try other.execute("DROP TRIGGER full_disk ON message")
        try await leader.append(message(3))
        // As a server that was demoted, or that its operator has set so.
        try other.execute("ALTER ROLE lifeline IN DATABASE postgres SET default_transaction_read_only = on")
        try endOtherConnections(other)
        while (try? await leader.append(message(4))) != nil {}
        for token in 5...9 as ClosedRange<UInt64> {
            let refusal = await error { try await leader.append(message(token)) }
            if case .unreachable? = refusal {} else { Issue.record("\(String(describing: refusal))") }
            #expect(store.failure != nil)
        }
        let page = try await store.history(HistoryQuery(channel: "room", limit: 10), application: "app").map(\.timetoken)
        #expect(page.starts(with: [1, 3]))
        try other.execute(
            "SET default_transaction_read_only = off; ALTER ROLE lifeline IN DATABASE postgres RESET default_transaction_read_only"
        )
        while (try? await leader.append(message(10))) == nil { await Task.yield() }
        await store.close()
    }
}

/// What an operation fails with.
private func error(_ body: () async throws -> Void) async -> PostgreSQLStoreError? {
    do {
        try await body()
        return nil
    } catch {
        return PostgreSQLStoreError(error)
    }
}

extension MessageStore {
    /// Commits and waits for the outcome.
    fileprivate func commit(_ changes: [KeysetRecordChange]) async throws {
        let error: (any Error)? = await withCheckedContinuation { continuation in
            commit(changes, with: [], application: "app") { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }
}

extension ChatStore {
    fileprivate func commit(_ commit: ChatCommit, in application: String = "app") async throws {
        let error: (any Error)? = await withCheckedContinuation { continuation in
            self.commit(commit, application: application) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }
}

extension ChatCommit {
    fileprivate static func message(_ id: UInt64) -> ChatCommit {
        var commit = ChatCommit()
        commit.additions = [.init(ChatEvent(id: id, conversation: "c", sender: "ann", body: Array("{}".utf8)))]
        return commit
    }
}
