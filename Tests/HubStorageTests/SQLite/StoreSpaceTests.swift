import Foundation
import GRDB
import ServerStorage
import Testing

@testable import HubStorage

@Suite("Files give space back (HB-71)")
struct StoreSpaceTests {
    private let scratch = Scratch()

    private var file: String { scratch.path + "/lifeline.sqlite" }

    private func open() throws(MessageStoreError) -> SQLiteMessageStore {
        var settings = StoreSettings()
        settings.purgesInBackground = false
        return try SQLiteMessageStore(directory: scratch.path, settings: settings, now: { 20_000_000_000 })
    }

    private func size() throws -> Int {
        try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
    }

    /// Messages of 4 KiB that have expired, and are purged.
    private func fill(_ store: SQLiteMessageStore) async throws {
        for token in 1...3_000 as ClosedRange<UInt64> {
            let message = StoredMessage(
                timetoken: token, channel: "c", publisher: "ann", payload: Array(repeating: 0x20, count: 4_096), isStored: true,
                expires: 5)
            store.append(message, application: "app") { _ in }
        }
        while try await SQLiteMessageStore.purge(store.writer, at: 10) > 0 {}
    }

    @Test("A file shrinks when what it had is gone, and keeps some room")
    func shrinking() async throws {
        var store = try open()
        try await fill(store)
        var steps = 0
        while try await store.writer.giveSpaceBack(keeping: 100) { steps += 1 }
        #expect((30...120).contains(steps), "in steps of 256 KiB, between which others write: \(steps)")
        try await store.append(message(20_000_000_001, "a"))
        await store.close()
        #expect(try size() < 2 << 20)
        store = try open()
        #expect(try await store.tokens(HistoryQuery(channel: "a", limit: 9)) == [20_000_000_001])
        await store.close()
    }

    @Test func `SO-165: a file shrinks when a limit of the history has removed messages`() async throws {
        let store = try open()
        func message(_ token: UInt64) -> StoredMessage {
            StoredMessage(timetoken: token, channel: "c", payload: Array(repeating: 0x20, count: 4_096))
        }
        for token in 1..<3_000 as Range<UInt64> { store.append(message(token), application: "app") { _ in } }
        // All are stored when the last one is.
        try await store.append(message(3_000))
        let usage = try await store.trim(["app": HistoryLimits(bytes: 10 * 4_096)])
        #expect(usage == ["app": HistoryUsage(messages: 10, bytes: 10 * 4_096, removed: 2_990)])
        while try await store.writer.giveSpaceBack(keeping: 100) {}
        await store.close()
        #expect(try size() < 2 << 20)
    }

    @Test func `SO-165: days of which nothing is left are not counted for ever`() async throws {
        let store = try open()
        let day = UInt64(HistoryTrimmer.day)
        func days() async throws -> Int? {
            try await store.writer.perform { try Int.fetchOne($0, sql: "SELECT count(*) FROM message_usage") }
        }
        for number in 1...1_200 as ClosedRange<UInt64> {
            store.append(message(number * day, "c", expires: number <= 1_100 ? 5 : nil), application: "app") { _ in }
        }
        while try await SQLiteMessageStore.purge(store.writer, at: 10) > 0 {}
        #expect(try await days() == 1_200)
        // The application has no limits.
        #expect(try await store.trim([:]).isEmpty)
        #expect(try await days() == 100)
        #expect(try await store.trim(["app": HistoryLimits()])["app"]?.messages == 100)
        await store.close()
    }

    @Test("Below the room that a file keeps nothing is given back")
    func keeping() async throws {
        let store = try open()
        try await fill(store)
        #expect(try await store.writer.giveSpaceBack() == false)
        await store.close()
        #expect(try size() > 10 << 20)
    }

    @Test("A file from before stays as large as it is, and works")
    func earlier() async throws {
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        let queue = try DatabaseQueue(path: file)
        try await queue.write { try $0.execute(sql: "PRAGMA application_id = \(StoreSchema.messages.applicationID)") }
        try queue.close()
        let store = try open()
        #expect(try await store.writer.perform { try Int.fetchOne($0, sql: "PRAGMA auto_vacuum") } == 0)
        try await fill(store)
        #expect(try await store.writer.giveSpaceBack(keeping: 100) == false)
        try await store.append(message(20_000_000_001, "a"))
        #expect(try await store.tokens(HistoryQuery(channel: "a", limit: 9)) == [20_000_000_001])
        await store.close()
    }

    @Test("New files of both stores can give space back")
    func bothStores() async throws {
        let messages = try open()
        let chat = try SQLiteChatStore(directory: scratch.path)
        for writer in [
            try await messages.writer.perform { try Int.fetchOne($0, sql: "PRAGMA auto_vacuum") },
            try await chat.writer.perform { try Int.fetchOne($0, sql: "PRAGMA auto_vacuum") },
        ] {
            #expect(writer == 2)
        }
        await messages.close()
        await chat.close()
    }
}
