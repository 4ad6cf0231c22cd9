import Foundation
import GRDB
import ServerStorage
import Testing

@testable import HubStorage

@Suite("Opening a store (HB-45, HB-46)")
struct StoreOpeningTests {
    private let scratch = Scratch()
    private var file: String { scratch.path + "/lifeline.sqlite" }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("Directory and files are for their owner alone")
    func rights() async throws {
        let nested = scratch.path + "/a/b"
        let store = try SQLiteMessageStore(directory: nested)
        try await store.append(message(1, "c"))
        #expect(try mode(scratch.path) == 0o700)
        #expect(try mode(nested) == 0o700)
        for name in ["lifeline.sqlite", "lifeline.sqlite-wal", "lock"] {
            #expect(try mode(nested + "/" + name) == 0o600, "\(name)")
        }
        await store.close()
    }

    @Test("After a close the database file alone has everything, and the log nothing (HB-69)")
    func fileAlone() async throws {
        let store = try SQLiteMessageStore(directory: scratch.path)
        for token in 1...50 as ClosedRange<UInt64> { try await store.append(message(token, "c")) }
        await store.close()
        let log = try FileManager.default.attributesOfItem(atPath: file + "-wal")[.size] as? Int
        #expect(log == 0)
        let copy = Scratch()
        try FileManager.default.createDirectory(atPath: copy.path, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: file, toPath: copy.path + "/lifeline.sqlite")
        let restored = try SQLiteMessageStore(directory: copy.path)
        #expect(try await restored.tokens(HistoryQuery(channel: "c", limit: 99)) == Array(1...50))
        // What was put in the place of a closed database is what the next start finds.
        try await restored.append(message(51, "c"))
        await restored.close()
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.copyItem(atPath: copy.path + "/lifeline.sqlite", toPath: file)
        let again = try SQLiteMessageStore(directory: scratch.path)
        #expect(try await again.tokens(HistoryQuery(channel: "c", limit: 99)) == Array(1...51))
        await again.close()
    }

    @Test("A directory has one server at a time")
    func lock() async throws {
        let first = try SQLiteMessageStore(directory: scratch.path)
        #expect(throws: MessageStoreError.inUse(directory: scratch.path)) { try SQLiteMessageStore(directory: scratch.path) }
        await first.close()
        let second = try SQLiteMessageStore(directory: scratch.path)
        await second.close()
    }

    @Test("HB-45: a directory whose database file cannot be had is free again, and nothing of it stays open")
    func failing() throws {
        let store = try StoreDirectory(path: scratch.path)
        #if os(Linux)
            let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                // The descriptor of this very listing is closed meanwhile, as others of tests beside this one.
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
            // SQLite opens the file by itself; what has made it does not keep it.
            #expect(open.filter { $0 == store.databaseFile } == [])
            #expect(open.filter { $0 == scratch.path + "/lock" }.count == 1)
        #endif
        store.release()
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        for _ in 0..<2 {
            // The second attempt would say that the directory is in use.
            #expect(throws: MessageStoreError.unusable(path: file, reason: "Is a directory")) {
                try StoreDirectory(path: scratch.path)
            }
        }
    }

    @Test(
        "HB-45: a directory that cannot be made says why, and refusals of parents that exist do not matter",
        arguments: [EACCES, EPERM, EROFS])
    func refused(number: Int32) throws {
        let path = scratch.path + "/a/b"
        #expect(throws: MessageStoreError.unusable(path: path, reason: String(cString: strerror(number)))) {
            try StoreDirectory.create(path) { _ in number }
        }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try StoreDirectory.create(path) { _ in number }
        // Another error is that of the directory that could not be made.
        #expect(throws: MessageStoreError.self) { try StoreDirectory.create(path) { $0.hasSuffix("a") ? ENOSPC : EEXIST } }
    }

    @Test("A file that is no database says so, and stays as it is")
    func noDatabase() throws {
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        let text = Data(String(repeating: "this is no database\n", count: 100).utf8)
        try text.write(to: URL(fileURLWithPath: file))
        #expect(throws: MessageStoreError.damaged(file: file)) { try SQLiteMessageStore(directory: scratch.path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == text)
    }

    @Test("A damaged database says so")
    func damaged() async throws {
        let store = try SQLiteMessageStore(directory: scratch.path)
        for token in 1...500 as ClosedRange<UInt64> { try await store.append(message(token, "c")) }
        await store.close()
        let handle = try #require(FileHandle(forUpdatingAtPath: file))
        try handle.seek(toOffset: 200)
        try handle.write(contentsOf: Data(repeating: 0x5A, count: 3000))
        try handle.close()
        #expect(throws: MessageStoreError.damaged(file: file)) { try SQLiteMessageStore(directory: scratch.path) }
    }

    @Test("A database of a newer version is left alone")
    func newer() async throws {
        let store = try SQLiteMessageStore(directory: scratch.path)
        try await store.writer.perform { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('9 from the future')") }
        await store.close()
        #expect(throws: MessageStoreError.newer(file: file)) { try SQLiteMessageStore(directory: scratch.path) }
    }

    @Test("A database of another program is left alone")
    func foreign() throws {
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        let other = try DatabaseQueue(path: file)
        try other.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        try other.close()
        #expect(throws: MessageStoreError.foreign(file: file)) { try SQLiteMessageStore(directory: scratch.path) }
    }

    @Test("A path that cannot be a directory says why")
    func unusable() throws {
        try Data().write(to: URL(fileURLWithPath: scratch.path))
        #expect(throws: MessageStoreError.unusable(path: scratch.path, reason: "not a directory")) {
            try SQLiteMessageStore(directory: scratch.path)
        }
        #expect(throws: MessageStoreError.self) { try SQLiteMessageStore(directory: scratch.path + "/deeper") }
    }

    @Test("Every error says what to do")
    func descriptions() {
        let errors: [MessageStoreError] = [
            .inUse(directory: "/d"), .damaged(file: "/d/f"), .newer(file: "/d/f"), .foreign(file: "/d/f"), .full(file: "/d/f"),
            .unusable(path: "/d", reason: "because"),
        ]
        for error in errors { #expect("\(error)".contains("/d") && "\(error)".contains(":")) }
    }
}
