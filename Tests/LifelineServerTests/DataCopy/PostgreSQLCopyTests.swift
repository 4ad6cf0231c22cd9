import HubStorage
import Identifiers
import PostgreSQLStorage
import PostgresTestSupport
import ServerStorage
import Testing

@testable import LifelineServer

@Suite(.enabled(if: PostgresProcess.isInstalled, "\(PostgresProcess.reason)"))
struct PostgreSQLCopyTests {
    @Test(.timeLimit(.minutes(5)))
    func `DC-1: data that go from a directory to PostgreSQL and back are the same`() async throws {
        let scratch = DataScratch()
        let server = try PostgresProcess()
        for name in try await scratch.fill() {
            let settings = PostgreSQLSettings(url: server.url, schema: name)
            let source = try SQLiteTables(readingFrom: scratch.path + "/" + name)
            let database = try PostgreSQLTables.writing(settings, parts: source.parts)
            let there = try DataCopy(from: source, to: database, limits: .init(rows: 50)).run()
            #expect(there.isEqual, "\(name): \(there.tables.filter { !$0.isEqual }.map(\.table.title))")
            source.close()
            database.close()
            let copied = try PostgreSQLTables.reading(settings)
            let target = try SQLiteTables(writingTo: scratch.path + "/" + name + "-back", parts: copied.parts)
            let back = try DataCopy(from: copied, to: target).run()
            #expect(back.isEqual, "\(name)")
            #expect(back.tables.map(\.targetChecksum) == there.tables.map(\.sourceChecksum), "\(name)")
            copied.close()
            target.close()
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `DC-1: applications that were made at run time are copied with the number of their changes`() async throws {
        let scratch = DataScratch()
        let server = try PostgresProcess()
        let settings = PostgreSQLSettings(url: server.url)
        let made = try SQLiteApplicationStore(directory: scratch.path)
        #expect(try await made.write([1, 2, 3], name: "pusher 1001", after: 0) == 1)
        #expect(try await made.write([], name: "chat shop", after: 1) == 2)
        let expected = try await made.load()
        await made.close()
        let source = try SQLiteTables(readingFrom: scratch.path)
        let target = try PostgreSQLTables.writing(settings, parts: source.parts)
        #expect(try DataCopy(from: source, to: target).run().isEqual)
        source.close()
        target.close()
        let copied = try await PostgreSQLApplicationStore.open(settings)
        #expect(try await copied.load() == expected)
        await copied.close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `DC-3 DC-5: a server of the database keeps a copy away, and serves what was copied`() async throws {
        let scratch = DataScratch()
        let server = try PostgresProcess()
        let settings = PostgreSQLSettings(url: server.url, poolSize: 2)
        let source = try SQLiteTables(readingFrom: try await scratch.messages(1...40, in: "source"))
        let running = try await PostgreSQLMessageStore.open(settings, purgesInBackground: false)
        #expect(throws: PostgreSQLStoreError.inUse(schema: "lifeline")) {
            try PostgreSQLTables.writing(settings, parts: [.messages])
        }
        #expect(throws: PostgreSQLStoreError.inUse(schema: "lifeline")) { try PostgreSQLTables.reading(settings) }
        await running.close()
        let target = try PostgreSQLTables.writing(settings, parts: source.parts)
        #expect(throws: FaultyTables.Interruption.self) {
            try DataCopy(from: source, to: FaultyTables(tables: target, limit: 3), limits: .init(rows: 10)).run()
        }
        let rest = try DataCopy(from: source, to: target, limits: .init(rows: 10)).run()
        #expect(rest.isEqual)
        #expect(rest.tables.first?.copied == 10)
        source.close()
        target.close()
        let store = try await PostgreSQLMessageStore.open(settings, purgesInBackground: false)
        let page = try await store.history(HistoryQuery(channel: "room", limit: 100, isOldestFirst: true), application: "app")
        #expect(page.map(\.timetoken) == Array(1...40))
        #expect(try await store.restore().highestTimetoken == 1040)
        // Entries that are added later are behind those that were copied.
        try await store.save(
            access: [AccessEntry(.init(.channel, "room", holder: nil), rights: 1, ttl: 1)], removing: [], application: "app")
        await store.close()
    }

    @Test(.timeLimit(.minutes(1)))
    func `DC-4: a database without tables is no source, and stays as it is`() async throws {
        let server = try PostgresProcess.shared()
        let settings = PostgreSQLSettings(url: server.url, schema: "nothing")
        #expect(throws: PostgreSQLStoreError.unprepared(schema: "nothing")) { try PostgreSQLTables.reading(settings) }
        #expect(throws: PostgreSQLStoreError.unprepared(schema: "nothing")) { try PostgreSQLTables.reading(settings) }
    }
}
