import Foundation
import GRDB
import Identifiers
import NIOConcurrencyHelpers
import ServerStorage
import Testing

@testable import HubStorage

@Suite("History in SQLite (HB-42 to HB-47)")
struct SQLiteMessageStoreTests {
    private let scratch = Scratch()
    private let ticks = TestTicks()

    private func open(_ settings: StoreSettings? = nil) throws(MessageStoreError) -> SQLiteMessageStore {
        let ticks = ticks
        var defaults = StoreSettings()
        defaults.purgesInBackground = false
        return try SQLiteMessageStore(directory: scratch.path, settings: settings ?? defaults, now: { ticks.now })
    }

    @Test("Everything is there after a restart: history, catch-up, groups and the highest token")
    func restart() async throws {
        var store = try open()
        try await store.append(message(20_000_000_001, "a"))
        try await store.append(message(20_000_000_002, "b", stored: false))
        try await store.save(group: "g", channels: ["z", "a"], application: "app")
        try await store.save(group: "h", channels: ["a"], application: "app")
        try await store.save(group: "h", channels: [], application: "app")
        try await store.reserve(timetokensUpTo: 20_000_000_500)
        await store.close()
        store = try open()
        let state = try await store.restore()
        #expect(state.remembersStream)
        #expect(state.highestTimetoken == 20_000_000_500)
        #expect(state.groups == ["app": ["g": ["z", "a"]]])
        #expect(state.recent["app"]?.map(\.timetoken) == [20_000_000_001, 20_000_000_002])
        #expect(try await store.tokens(HistoryQuery(channel: "a", limit: 9)) == [20_000_000_001])
        await store.close()
    }

    @Test("A name that goes on after a NUL finds and deletes nothing of the channel with the name before it (HB-106)")
    func nameWithNUL() async throws {
        let store = try open()
        try await store.append(message(20_000_000_001, "secret"))
        let name: Identifier = "secret\u{0}-public"
        #expect(try await store.tokens(HistoryQuery(channel: name, limit: 9)) == [])
        #expect(try await store.counts([name: 0, "secret": 0], application: "app") == [name: 0, "secret": 1])
        #expect(try await store.delete(channel: name, start: nil, end: nil, application: "app") == 0)
        #expect(try await store.tokens(HistoryQuery(channel: "secret", limit: 9)) == [20_000_000_001])
        await store.close()
    }

    // Proof of HB-29.
    @Test("What is recent ends after 20 minutes, at the last of each channel, and at a total")
    func recent() async throws {
        var settings = StoreSettings(catchUp: 1000, recentPerChannel: 3, recentInAll: 5)
        settings.purgesInBackground = false
        let store = try open(settings)
        for token in 19_999_998_990..<19_999_999_010 as Range<UInt64> { try await store.append(message(token, "old")) }
        var state = try await store.restore()
        #expect(state.recent["app"]?.map(\.timetoken) == [19_999_999_007, 19_999_999_008, 19_999_999_009])
        #expect(state.recentSince == 19_999_999_000)
        for token in 19_999_999_020..<19_999_999_030 as Range<UInt64> {
            try await store.append(message(token, Identifier("b \(token % 2)")))
        }
        state = try await store.restore()
        #expect(state.recent["app"]?.map(\.timetoken) == Array(19_999_999_025...19_999_999_029))
        #expect(state.recentSince == 19_999_999_024)
        await store.close()
    }

    @Test("Expired and unstored messages are purged, a step at a time")
    func purging() async throws {
        var settings = StoreSettings(catchUp: 100)
        settings.purgesInBackground = false
        let store = try open(settings)
        for token in 1...400 as ClosedRange<UInt64> {
            store.append(message(token, "c", stored: false), application: "app") { _ in }
        }
        try await store.append(message(401, "c", expires: 600))
        try await store.append(message(402, "c"))
        #expect(try await SQLiteMessageStore.purge(store.writer, at: 100) == 0)
        #expect(try await SQLiteMessageStore.purge(store.writer, at: 600) == 300)
        #expect(try await SQLiteMessageStore.purge(store.writer, at: 600) == 101)
        #expect(try await SQLiteMessageStore.purge(store.writer, at: 600) == 0)
        #expect(try await store.writer.perform { try Int.fetchOne($0, sql: "SELECT count(*) FROM message") } == 1)
        await store.close()
    }

    @Test("Without being asked, too")
    func purgingInBackground() async throws {
        let store = try open(StoreSettings(catchUp: 100))
        for token in 1...700 as ClosedRange<UInt64> {
            store.append(message(token, "c", stored: false), application: "app") { _ in }
        }
        var left = 700
        // The purge tells nobody, so that the database is looked at again, for at most ten seconds.
        for _ in 0..<400 where left > 0 {
            left = try await store.writer.perform { try Int.fetchOne($0, sql: "SELECT count(*) FROM message") ?? 0 }
            if left > 0 { try await Task.sleep(for: .milliseconds(25)) }
        }
        #expect(left == 0)
        await store.close()
    }

    @Test("A full disk fails the appends that it hits, and nothing else")
    func full() async throws {
        let store = try open()
        try await store.append(message(1, "c"))
        try await store.writer.perform(inTransaction: false) { database in
            let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            try database.execute(sql: "PRAGMA max_page_count = \(pages + 2)")
        }
        var failure: MessageStoreError?
        var token: UInt64 = 1
        while failure == nil, token < 1000 {
            token += 1
            var large = message(token, "c")
            large.payload = [UInt8](repeating: 32, count: 2000)
            do { try await store.append(large) } catch { failure = error as? MessageStoreError }
        }
        #expect(failure == .full(file: scratch.path + "/lifeline.sqlite"))
        #expect(store.failure == failure, "SO-169")
        // It replaces a row, so it says nothing about room for messages.
        try await store.reserve(timetokensUpTo: 10)
        #expect(store.failure == failure)
        #expect(try await store.tokens(HistoryQuery(channel: "c", limit: 1)) == [token - 1])
        try await store.writer.perform(inTransaction: false) { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
        try await store.append(message(5000, "c"))
        #expect(store.failure == nil)
        await #expect(throws: MessageStoreError.duplicate) { try await store.append(message(5000, "c")) }
        #expect(store.failure == nil, "That concerns the message alone")
        #expect(try await store.tokens(HistoryQuery(channel: "c", limit: 1)) == [5000])
        await store.close()
    }

    @Test("A full disk in the middle of a group fails the whole group: none of it is there afterwards")
    func fullGroup() async throws {
        let store = try open()
        try await store.append(message(1, "c"))
        try await store.writer.perform(inTransaction: false) { database in
            let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            try database.execute(sql: "PRAGMA max_page_count = \(pages + 10)")
        }
        let acknowledged = NIOLockedValueBox<Set<UInt64>>([1])
        for token in 2...300 as ClosedRange<UInt64> {
            var large = message(token, "c")
            large.payload = [UInt8](repeating: 32, count: 1000)
            store.append(large, application: "app") { error in
                if error == nil { acknowledged.withLockedValue { _ = $0.insert(token) } }
            }
        }
        await store.writer.drained()
        let there = try await store.tokens(HistoryQuery(channel: "c", limit: 1000))
        #expect(Set(there) == acknowledged.withLockedValue { $0 })
        #expect(there.count < 300)
        await store.close()
    }

    @Test("A token that comes twice is refused, and its neighbours are not")
    func duplicate() async throws {
        let store = try open()
        let outcomes = NIOLockedValueBox<[MessageStoreError?]>([])
        for token in [1, 2, 2, 3] as [UInt64] {
            store.append(message(token, "c"), application: "app") { error in
                outcomes.withLockedValue { $0.append(error as? MessageStoreError) }
            }
        }
        await store.writer.drained()
        #expect(outcomes.withLockedValue { $0 } == [nil, nil, .duplicate, nil])
        #expect(try await store.tokens(HistoryQuery(channel: "c", limit: 9)) == [1, 2, 3])
        await store.close()
    }

    // Proof of HB-43.
    @Test("What waits to be written is bounded; refusals come in turn")
    func overload() async throws {
        let directory = try StoreDirectory(path: scratch.path)
        let pool = try StoreSchema.messages.open(file: directory.databaseFile, durability: .process)
        let writer = StoreWriter(pool: pool, directory: directory, rows: MessageRow(catchUp: 100), bytesLimit: 10_000)
        let outcomes = NIOLockedValueBox<[MessageStoreError?]>([])
        let gate = DispatchSemaphore(value: 0)
        let blocked = Task { try await writer.perform { _ in gate.wait() } }
        while !writer.isBusy { await Task.yield() }
        for token in 1...100 as ClosedRange<UInt64> {
            writer.append(.message(message(token, "c"), nil, application: "app")) { error in
                outcomes.withLockedValue { $0.append(error as? MessageStoreError) }
            }
        }
        gate.signal()
        try await blocked.value
        await writer.drained()
        let result = outcomes.withLockedValue { $0 }
        let taken = result.prefix { $0 == nil }.count
        #expect(result.count == 100 && (30...40).contains(taken))
        #expect(result.dropFirst(taken).allSatisfy { $0 == .overloaded })
        await writer.close()
    }

    @Test("A closed store refuses, and closing twice does no harm")
    func closed() async throws {
        let store = try open()
        try await store.append(message(1, "c"))
        await store.close()
        await store.close()
        await #expect(throws: MessageStoreError.closed) { try await store.append(message(2, "c")) }
        await #expect(throws: MessageStoreError.closed) { try await store.reserve(timetokensUpTo: 5) }
        await #expect(throws: MessageStoreError.self) { _ = try await store.tokens(HistoryQuery(channel: "c", limit: 1)) }
    }
}

extension StoreWriter {
    /// Returns when everything that came before is done.
    func drained() async {
        _ = try? await perform { _ in }
    }
}
