import ChatProtocol
import Foundation
import GRDB
import Testing

@testable import ChatDatabase

@Suite("Full disks and locked files (CD-6)")
struct TroubleTests {
    private let scratch = Scratch()

    @Test("On a full disk a call fails wholly, and works again when there is room")
    func full() throws {
        let database = try scratch.open()
        try database.receive(.message(text(1)))
        let pages = try database.write { transaction in
            let pages = try Int.fetchOne(transaction.database, sql: "PRAGMA page_count") ?? 0
            try transaction.database.execute(sql: "PRAGMA max_page_count = \(pages)")
            return pages
        }
        let many = (2...400).map { ChatWireEvent.message(text($0, String(repeating: "word\($0) ", count: 100))) }
        #expect(throws: ChatDatabaseError.full) { try database.receive(many) }
        #expect(database.place?.sequence == 1)
        #expect(try database.times() == [1])
        #expect(try database.unread() == [1, 0])
        try database.write { try $0.database.execute(sql: "PRAGMA max_page_count = \(pages + 100_000)") }
        try database.receive(many)
        #expect(try database.times().count == 400)
        #expect(try database.search("word399", in: ann).messages.count == 1)
        database.close()
    }

    @Test("While another process holds the file, a call says so; reading goes on")
    func locked() throws {
        let (database, _) = try ChatDatabase.open(
            directory: scratch.path, appKey: "app", user: "me", patience: 0.01, now: { 5_000 })
        try database.receive(.message(text(1)))
        let other = try DatabaseQueue(path: database.path)
        try other.inDatabase { connection in
            try connection.execute(sql: "BEGIN IMMEDIATE")
            #expect(throws: ChatDatabaseError.locked) { try database.receive(.message(text(2))) }
            #expect(try database.times() == [1])
            #expect(database.place?.sequence == 1)
            try connection.execute(sql: "ROLLBACK")
        }
        try database.receive(.message(text(2)))
        #expect(try database.times() == [2, 1])
        try other.close()
        database.close()
    }

    @Test("A failure in the middle of a transaction leaves nothing of it, in memory neither")
    func middle() throws {
        struct Interruption: Error {}
        let database = try scratch.open()
        #expect(throws: ChatDatabaseError.self) {
            try database.write { transaction in
                _ = try transaction.insertLocal(outgoing("c", in: ChatChannel(.direct, "new")))
                throw Interruption()
            }
        }
        // Names and channels that the transaction had made are made anew.
        try database.insert(outgoing("c", in: ChatChannel(.direct, "new")))
        #expect(try database.channel(ChatChannel(.direct, "new"))?.latest?.clientID == "c")
        database.close()
    }
}
