import Foundation
import GRDB
import Identifiers
import NIOConcurrencyHelpers
import ServerStorage
import Testing

@testable import HubStorage

@Suite("The durable chat store (CT-2, CT-5, CT-10, CT-11)")
struct SQLiteChatStoreTests {
    private let scratch = Scratch()
    private let ticks = TestTicks()
    private var file: String { scratch.path + "/chat.sqlite" }

    private func open() throws(MessageStoreError) -> SQLiteChatStore {
        let ticks = ticks
        return try SQLiteChatStore(directory: scratch.path, now: { ticks.now })
    }

    @Test("Everything is there after a restart, the epoch included; a store that forgets has a new one")
    func restart() async throws {
        let first = try open()
        try await first.reserve(idsUpTo: 5000)
        try await first.commit(ChatCommit(chatEvent(10, clientID: "c", body: "m"), to: [("bob", 3), ("ann", 4)]))
        try await first.commit(
            .with {
                $0.receipts = [(10, ChatReceipt(user: "bob", time: 5))]
                $0.hidden = [("zoe", 10)]
                $0.acknowledged = [ChatInboxPlace(user: "bob", sequence: 2)]
                $0.documents = [.user(ChatDocument.User(id: "ann", name: "Ann"))]
            })
        let before = try await first.restore()
        await first.close()
        let second = try open()
        let after = try await second.restore()
        #expect(after.epoch == before.epoch && !after.epoch.isEmpty)
        #expect(after.highestID == 5000)
        #expect(after.applications["app"]?.documents == [.user(ChatDocument.User(id: "ann", name: "Ann"))])
        #expect(after.applications["app"]?.inboxes["bob"].map { [$0.last, $0.acknowledged] } == [3, 2])
        #expect(after.applications["app"]?.recentSends.map(\.id) == [10])
        #expect(try await second.bodies(of: "bob") == ["3 m"])
        #expect(try await second.ids(viewer: "zoe") == [])
        #expect(try await second.ids() == [10])
        #expect(try await second.receipts(of: [10], application: "app")[10]?.count == 1)
        // Names that were known before have the same numbers still.
        try await second.commit(ChatCommit(chatEvent(11, body: "n"), to: [("bob", 4)]))
        #expect(try await second.bodies(of: "bob") == ["3 m", "4 n"])
        await second.close()
        let epochs = (try await InMemoryChatStore().restore().epoch, try await InMemoryChatStore().restore().epoch)
        #expect(epochs.0 != epochs.1)
    }

    @Test("After a close the database file alone has everything, and the log nothing (HB-69)")
    func fileAlone() async throws {
        let store = try open()
        try await store.commit(ChatCommit(chatEvent(10, body: "m"), to: [("bob", 1)]))
        await store.close()
        let log = try FileManager.default.attributesOfItem(atPath: file + "-wal")[.size] as? Int
        #expect(log == 0)
        let copy = Scratch()
        try FileManager.default.createDirectory(atPath: copy.path, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: file, toPath: copy.path + "/chat.sqlite")
        let restored = try SQLiteChatStore(directory: copy.path)
        #expect(try await restored.bodies(of: "bob") == ["1 m"])
        await restored.close()
    }

    @Test("CT-12: Messages to some members from before the table of readers are still for these and their senders only")
    func readersOfBefore() async throws {
        let first = try open()
        let bodies = [
            #"{"id":"1","users":["bob","zoe"],"content":{}}"#, #"{"id":"2","content":{"users":["bob"]}}"#, "no JSON \"users\":[]",
            #"{"id":"4","users":[]}"#,
        ]
        for (index, body) in bodies.enumerated() {
            try await first.commit(ChatCommit(chatEvent(UInt64(index + 1), body: body), to: [("bob", UInt64(index + 1))]))
        }
        await first.close()
        let queue = try DatabaseQueue(path: file)
        try await queue.write { database in
            try database.execute(sql: "DROP TABLE reader")
            try database.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '2 readers'")
        }
        try queue.close()
        let second = try open()
        for viewer in ["ann", "bob", "zoe"] as [Identifier] {
            #expect(try await second.ids(viewer: viewer) == (viewer == "ann" ? [1, 2, 3, 4] : [1, 2, 3]), "\(viewer)")
        }
        #expect(try await second.ids(viewer: "max") == [2, 3])
        #expect(try await second.ids() == [1, 2, 3, 4])
        await second.close()
    }

    @Test("It lives beside the message store, and has one server at a time")
    func neighbours() async throws {
        let messages = try SQLiteMessageStore(directory: scratch.path)
        let store = try open()
        #expect(throws: MessageStoreError.inUse(directory: scratch.path)) { try open() }
        let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(rights == 0o600)
        await messages.close()
        await store.close()
        let again = try open()
        await again.close()
    }

    @Test("Damaged, newer and foreign files are left alone, and the error says which")
    func wrongFiles() async throws {
        var store = try open()
        try await store.writer.perform { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('9 from the future')") }
        await store.close()
        #expect(throws: MessageStoreError.newer(file: file)) { try open() }
        try FileManager.default.removeItem(atPath: scratch.path)

        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        let messages = try DatabaseQueue(path: file)
        try await messages.write { try $0.execute(sql: "PRAGMA application_id = 0x4C49464C; CREATE TABLE message (x)") }
        try messages.close()
        #expect(throws: MessageStoreError.foreign(file: file)) { try open() }
        try FileManager.default.removeItem(atPath: scratch.path)

        store = try open()
        for id in 1...500 as ClosedRange<UInt64> { try await store.commit(ChatCommit(chatEvent(id))) }
        await store.close()
        let handle = try #require(FileHandle(forUpdatingAtPath: file))
        try handle.seek(toOffset: 100)
        try handle.write(contentsOf: Data(repeating: 0x5A, count: 3000))
        try handle.close()
        #expect(throws: MessageStoreError.damaged(file: file)) { try open() }
    }

    @Test("A document that cannot be read is damage")
    func damagedDocument() async throws {
        let store = try open()
        try await store.commit(.with { $0.documents = [.user(ChatDocument.User(id: "ann"))] })
        try await store.writer.perform { try $0.execute(sql: "UPDATE document SET value = x'7B'") }
        await #expect(throws: MessageStoreError.damaged(file: file)) { _ = try await store.restore() }
        await store.close()
    }

    // Proof of CT-3.
    @Test("A full disk fails what it hits and nothing else, and names from a failed transaction are not used")
    func full() async throws {
        let store = try open()
        try await store.commit(ChatCommit(chatEvent(1), to: [("bob", 1)]))
        try await store.writer.perform(inTransaction: false) { database in
            let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            try database.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        let large = String(repeating: "x", count: 50_000)
        await #expect(throws: MessageStoreError.full(file: file)) {
            try await store.commit(ChatCommit(chatEvent(2, "new", body: large), to: [("new", 1)]))
        }
        try await store.writer.perform(inTransaction: false) { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
        try await store.commit(ChatCommit(chatEvent(3, "another", body: "m"), to: [("other", 1)]))
        try await store.commit(ChatCommit(chatEvent(4, "new", body: "n"), to: [("new", 1)]))
        #expect(try await store.bodies(of: "other") == ["1 m"])
        #expect(try await store.bodies(of: "new") == ["1 n"])
        #expect(try await store.ids(of: "new") == [4])
        #expect(try await store.ids(of: "another") == [3])
        await store.close()
    }

    @Test("A closed store refuses, and closing twice does no harm")
    func closed() async throws {
        let store = try open()
        try await store.commit(ChatCommit(chatEvent(1)))
        await store.close()
        await store.close()
        await #expect(throws: MessageStoreError.closed) { try await store.commit(ChatCommit(chatEvent(2))) }
        await #expect(throws: MessageStoreError.closed) { try await store.reserve(idsUpTo: 5) }
        await #expect(throws: MessageStoreError.closed) { try await store.purge(inboxBefore: 5) }
        await #expect(throws: MessageStoreError.self) { _ = try await store.ids() }
    }
}
