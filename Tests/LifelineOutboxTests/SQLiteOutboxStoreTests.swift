import DatabaseFile
import Foundation
import GRDB
import Lifeline
import Testing

@testable import LifelineOutbox

@Suite struct SQLiteOutboxStoreTests {
    private let scratch = Scratch()

    private var file: DatabaseFile { DatabaseFile(directory: scratch.path, parts: ["a", "b"], suffix: ".outbox") }

    private func record(_ id: String, _ order: Int64 = 1) -> OutboxRecord {
        OutboxRecord(
            id: id, order: order, channel: "room", event: "line", json: #"{"text":"s3cret"}"#, isStored: true, enqueued: 10,
            lifetime: 20)
    }

    @Test func `LL-100: a record comes back as it was, with each of its changes`() async throws {
        var opened = try await SQLiteOutboxStore.open(file)
        var changed = record("a")
        changed.state = .unknown
        changed.order = 7
        changed.firstSent = 11
        changed.error = LifelineError(.timeout, "No answer came.", number: 5)
        try await opened.store.apply([.insert(record("a")), .insert(record("b", 2)), .insert(record("c", 3)), .update(changed)])
        try await opened.store.apply([.remove(id: "c")])
        await opened.store.close()
        opened = try await SQLiteOutboxStore.open(file)
        #expect(opened.records == [record("b", 2), changed])
        await opened.store.close()
    }

    @Test func `LL-100: changes of one call are made all or none`() async throws {
        let opened = try await SQLiteOutboxStore.open(file)
        try await opened.store.apply([.insert(record("a"))])
        let error = await #expect(throws: LifelineError.self) {
            try await opened.store.apply([.insert(record("b", 2)), .insert(record("a"))])
        }
        #expect(error?.code == .storageFailed)
        #expect(error?.reason.contains("s3cret") == false)
        await opened.store.close()
        let again = try await SQLiteOutboxStore.open(file)
        #expect(again.records.map(\.id) == ["a"])
        await again.store.close()
    }

    @Test func `LL-100: what was sent is not left in the file`() async throws {
        let opened = try await SQLiteOutboxStore.open(file)
        try await opened.store.apply([.insert(record("a"))])
        try await opened.store.apply([.remove(id: "a")])
        await opened.store.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)).range(of: Data("s3cret".utf8)) == nil)
        #expect(scratch.files.filter { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") } == [])
    }

    @Test func `LL-100: a file of a newer version, or of another program, is put aside`() async throws {
        let first = try await SQLiteOutboxStore.open(file)
        await first.store.close()
        let queue = try DatabaseQueue(path: file.path)
        try await queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('2 newer')") }
        try queue.close()
        let second = try await SQLiteOutboxStore.open(file)
        #expect(second.isRecreated)
        await second.store.close()
        let other = try DatabaseQueue(path: file.path)
        try await other.write { try $0.execute(sql: "PRAGMA application_id = 5") }
        try other.close()
        let third = try await SQLiteOutboxStore.open(file)
        #expect(third.isRecreated)
        await third.store.close()
    }

    @Test func `LL-97: of a state that this version does not know it is unknown what became of the message`() async throws {
        let first = try await SQLiteOutboxStore.open(file)
        try await first.store.apply([.insert(record("a"))])
        await first.store.close()
        let queue = try DatabaseQueue(path: file.path)
        try await queue.write { try $0.execute(sql: "UPDATE entry SET state = 99") }
        try queue.close()
        let second = try await SQLiteOutboxStore.open(file)
        #expect(second.records.map(\.state) == [.unknown])
        await second.store.close()
    }
}
