import ChatProtocol
import Dispatch
import Foundation
import GRDB
import NIOConcurrencyHelpers
import Testing

@testable import ChatDatabase

@Suite("Opening and closing (CD-1 to CD-7)")
struct OpeningTests {
    private let scratch = Scratch()

    private func open() throws -> (database: ChatDatabase, isRecreated: Bool) {
        try ChatDatabase.open(directory: scratch.path, appKey: "app", user: "me")
    }

    /// A database with a few messages, closed.
    private func filled(_ count: Int64 = 50) throws -> String {
        let (database, _) = try open()
        try database.receive((1...count).map { .message(text($0)) })
        database.close()
        return database.path
    }

    @Test("A new file is not a recreated one, nor is one that is opened again")
    func new() throws {
        let (first, isRecreated) = try open()
        #expect(!isRecreated)
        #expect(first.place == nil)
        try first.receive(.message(text(1)))
        first.close()
        let (second, isRecreatedThen) = try open()
        #expect(!isRecreatedThen)
        #expect(second.place == ChatPlace(epoch: "e", sequence: 1))
        #expect(try second.times() == [1])
    }

    @Test("CD-60: those who open a new database at the same moment all get the same one, and nothing is lost")
    func atOnce() throws {
        for round in 0..<10 {
            let directory = scratch.path + "/\(round)"
            let opened = NIOLockedValueBox<[Bool]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { number in
                do {
                    let (database, isRecreated) = try ChatDatabase.open(directory: directory, appKey: "app", user: "me")
                    // Each has an inbox of its own: in the same one, two that do not know of each other would give two messages one number.
                    let item = ChatInboxItem(sequence: 1, event: .message(text(Int64(number + 1))))
                    _ = try database.receive([item], place: ChatPlace(epoch: "e\(number)", sequence: 1))
                    database.close()
                    opened.withLockedValue { $0.append(isRecreated) }
                } catch {
                    Issue.record("\(error)")
                }
            }
            #expect(opened.withLockedValue { $0 } == [false, false, false, false])
            let (database, _) = try ChatDatabase.open(directory: directory, appKey: "app", user: "me")
            #expect(try database.times().sorted() == [1, 2, 3, 4])
            database.close()
        }
    }

    @Test("CD-60: whoever waits too long for another one's opening is told so")
    func held() throws {
        let lock = try ChatFile(directory: scratch.path, appKey: "app", user: "me").lock(patience: 0)
        #expect(throws: ChatDatabaseError.locked) {
            try ChatDatabase.open(directory: scratch.path, appKey: "app", user: "me", patience: 0.02, now: { 1 })
        }
        lock.release()
        try open().database.close()
    }

    @Test("CD-1: preparing a file says whether it was there, and keeps nothing open")
    func preparing() throws {
        let file = ChatFile(directory: scratch.path, appKey: "app", user: "me")
        #expect(try !file.prepare())
        #expect(try file.prepare())
        // What was said of a file belongs to that file: it stays with it, and is not true of the next one.
        file.markDamaged()
        #expect(try file.prepare() && file.isMarked)
        try FileManager.default.removeItem(atPath: file.path)
        #expect(try !file.prepare() && !file.isMarked)
        #if os(Linux)
            let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                // The descriptor of this very listing is closed meanwhile, as others of tests beside this one.
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
            #expect(open.filter { $0 == file.path } == [])
        #endif
    }

    #if os(Linux)
        /// How many locks this process has on a file, through whichever descriptor.
        private func locks(on path: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").reduce(0) { count, number in
                // Descriptors of tests beside this one come and go.
                guard (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == path,
                    let info = try? String(contentsOfFile: "/proc/self/fdinfo/\(number)", encoding: .utf8)
                else { return count }
                return count + info.split(separator: "\n").count { $0.hasPrefix("lock:") }
            }
        }

        @Test("CD-62: another opening of the file in this process leaves the locks of the first one")
        func locksStay() throws {
            let (first, _) = try open()
            try first.receive(.message(text(1)))
            let before = try locks(on: first.path)
            #expect(before > 0)
            _ = try ChatFile(directory: scratch.path, appKey: "app", user: "me").prepare()
            #expect(try locks(on: first.path) == before)
            first.close()
        }
    #endif

    @Test("After a close the file alone has everything (CD-7)")
    func fileAlone() throws {
        let path = try filled()
        let log = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        #expect((log ?? 0) == 0)
        for part in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + part) }
        let (database, isRecreated) = try open()
        #expect(!isRecreated)
        #expect(try database.times().count == 50)
        database.close()
    }

    @Test("Every user of every application has a file of their own, whatever they are called")
    func names() throws {
        let users = ["me", "ME", "", "../../etc/passwd", "a/b", "a\0b", "纸", String(repeating: "x", count: 5000)]
        for (index, user) in users.enumerated() {
            let (database, _) = try ChatDatabase.open(directory: scratch.path, appKey: "app", user: user)
            try database.receive(.message(text(Int64(index + 1), from: "ann")))
            database.close()
        }
        // The key and the user do not run into each other.
        let (other, _) = try ChatDatabase.open(directory: scratch.path, appKey: "ap", user: "pme")
        #expect(other.place == nil)
        other.close()
        #expect(scratch.files.filter { $0.hasSuffix(".chat") }.count == users.count + 1)
        for user in users {
            let (database, isRecreated) = try ChatDatabase.open(directory: scratch.path, appKey: "app", user: user)
            #expect(!isRecreated)
            #expect(database.place?.sequence == 1)
            database.close()
        }
    }

    @Test("Only the owner can read directory and file")
    func rights() throws {
        let path = try filled()
        let rights = { (path: String) in
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try rights(path) == 0o600)
        #expect(try rights(scratch.path) == 0o700)
    }

    enum Damage: CaseIterable {
        case text, truncatedHeader, truncatedTail, zeroedPage, garbledTree, otherProgram, newerVersion, missingTable, olderTables
    }

    private func inflict(_ damage: Damage, on path: String) throws {
        let url = URL(fileURLWithPath: path)
        func sql(_ statements: String) throws {
            let queue = try DatabaseQueue(path: path)
            try queue.write { try $0.execute(sql: statements) }
            try queue.close()
        }
        switch damage {
        case .text: try Data("this is no database".utf8).write(to: url)
        case .truncatedHeader: try Data(contentsOf: url).prefix(60).write(to: url)
        case .truncatedTail:
            let data = try Data(contentsOf: url)
            try data.prefix(data.count / 2).write(to: url)
        case .zeroedPage:
            var data = try Data(contentsOf: url)
            data.replaceSubrange(4096..<8192, with: [UInt8](repeating: 0, count: 4096))
            try data.write(to: url)
        case .garbledTree:
            var data = try Data(contentsOf: url)
            for offset in stride(from: 8192, to: data.count, by: 97) { data[offset] ^= 0x5A }
            try data.write(to: url)
        case .otherProgram: try sql("PRAGMA application_id = 7")
        case .newerVersion: try sql("INSERT INTO grdb_migrations VALUES ('99 from the future')")
        case .missingTable: try sql("DROP TABLE channel")
        case .olderTables: try sql("DELETE FROM grdb_migrations")
        }
    }

    @Test("A damaged file, or one of a newer version, is put aside and a new one begins", arguments: Damage.allCases)
    func damage(_ damage: Damage) throws {
        let path = try filled()
        try inflict(damage, on: path)
        let (database, isRecreated) = try open()
        #expect(isRecreated)
        #expect(database.place == nil)
        #expect(try database.times() == [])
        #expect(FileManager.default.fileExists(atPath: path + ".damaged-1"))
        // It works, and is no new one the next time.
        try database.receive(.message(text(7)))
        database.close()
        let (again, isRecreatedAgain) = try open()
        #expect(!isRecreatedAgain)
        #expect(try again.times() == [7])
        again.close()
    }

    @Test("Of the files put aside three are kept")
    func kept() throws {
        for round in 1...5 as ClosedRange<Int64> {
            let (database, _) = try open()
            try database.receive(.message(text(round)))
            database.close()
            try Data("round \(round)".utf8).write(to: URL(fileURLWithPath: database.path))
        }
        let (last, isRecreated) = try open()
        last.close()
        #expect(isRecreated)
        let aside = scratch.files.filter { $0.contains("damaged") && !$0.contains("-wal") && !$0.contains("-shm") }
        #expect(aside.map { String($0.suffix(9)) } == ["damaged-1", "damaged-2", "damaged-3"])
        let newest = try String(contentsOfFile: last.path + ".damaged-1", encoding: .utf8)
        #expect(newest == "round 5")
    }

    @Test("The log of a damaged file goes with it")
    func log() throws {
        let (database, _) = try open()
        try database.receive(.message(text(1)))
        #expect(throws: ChatDatabaseError.damaged) {
            try database.read { _ in throw DatabaseError(resultCode: .SQLITE_NOTADB) }
        }
        // Still open, as after a crash: what was written is in the log.
        let (second, isRecreated) = try open()
        #expect(isRecreated)
        #expect(try second.times() == [])
        let log = try FileManager.default.attributesOfItem(atPath: database.path + ".damaged-1-wal")[.size] as? Int
        #expect(try #require(log) > 0)
        second.close()
        database.close()
    }

    @Test("Damage that is met while the database is in use is remembered for the next opening")
    func late() throws {
        let (database, _) = try open()
        try database.receive(.message(text(1)))
        #expect(throws: ChatDatabaseError.damaged) {
            try database.read { _ in throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        }
        database.close()
        let (second, isRecreated) = try open()
        #expect(isRecreated)
        second.close()
        let (third, isRecreatedAgain) = try open()
        #expect(!isRecreatedAgain)
        third.close()
    }

    @Test("A directory that cannot be one gives a clear error")
    func unusable() throws {
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        let file = scratch.path + "/file"
        try Data("x".utf8).write(to: URL(fileURLWithPath: file))
        for directory in [file, file + "/below"] {
            #expect {
                _ = try ChatDatabase.open(directory: directory, appKey: "app", user: "me")
            } throws: { error in
                guard case .unusable(let reason)? = error as? ChatDatabaseError else { return false }
                return !reason.isEmpty
            }
        }
    }

    @Test("Accounts change any number of times, and each finds what it left")
    func accounts() throws {
        for round in 1...6 as ClosedRange<UInt64> {
            for user in ["me", "you"] {
                let (database, isRecreated) = try ChatDatabase.open(directory: scratch.path, appKey: "app", user: user)
                #expect(!isRecreated)
                #expect((database.place?.sequence ?? 0) == round - 1)
                try database.receive(.message(text(Int64(round), from: "ann")))
                database.close()
                database.close()
            }
        }
    }

    @Test("A database that is opened twice is one database")
    func twice() throws {
        let (first, _) = try open()
        let (second, _) = try open()
        try first.receive(.message(text(1)))
        let item = ChatInboxItem(sequence: 1, event: .message(text(1)))
        #expect(try second.receive([item], place: ChatPlace(epoch: "e", sequence: 1)) == [])
        first.close()
        #expect(try second.times() == [1])
        second.close()
    }

    @Test("After closing, calls throw that it is closed, also those that come from other threads meanwhile")
    func closed() async throws {
        let (database, _) = try open()
        try database.receive(.message(text(1)))
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 as Range<Int64> {
                group.addTask {
                    for number in 0..<200 as Range<Int64> {
                        do {
                            try database.insert(outgoing("\(thread)-\(number)"))
                            _ = try database.times()
                        } catch {
                            #expect(error as? ChatDatabaseError == .closed)
                        }
                        await Task.yield()
                    }
                }
            }
            group.addTask { database.close() }
        }
        #expect(throws: ChatDatabaseError.closed) { try database.times() }
        #expect(throws: ChatDatabaseError.closed) { try database.insert(outgoing("x")) }
        #expect(throws: ChatDatabaseError.closed) { try database.search("hello", in: ann) }
        #expect(ChatDatabaseError.closed.code == .databaseClosed)
        #expect(database.place == ChatPlace(epoch: "e", sequence: 1))
    }
}
