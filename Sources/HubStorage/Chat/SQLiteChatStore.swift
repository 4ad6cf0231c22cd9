import Foundation
import GRDB
import Identifiers
import ServerStorage

/// Stores chat data durably in a SQLite database (rules CT-1 to CT-11).
///
/// The database is a separate file in the directory of the message store. One thread writes, and combines commits in transactions; several
/// threads read.
public final class SQLiteChatStore: ChatStore {
    private let directory: StoreDirectory
    private let pool: DatabasePool
    let writer: StoreWriter<ChatRows>
    private let trimmer = HistoryTrimmer()
    private let durability: Durability
    private let now: @Sendable () -> UInt64

    /// Opens the database in `directory`, which is created if necessary.
    ///
    /// The call blocks while it reads the schema and, after a crash, the write-ahead log.
    /// - Parameters:
    ///   - directory: the directory of the database.
    ///   - durability: the failures that an acknowledged message survives.
    ///   - inboxEntries: the largest number of events in a user's inbox; the oldest are deleted.
    ///   - now: returns the current time in units of 100 ns; it determines which messages count as sent recently.
    /// - Throws: `MessageStoreError`.
    public init(
        directory: String, durability: Durability = .process, inboxEntries: Int = 20_000,
        now: @escaping @Sendable () -> UInt64 = systemTicks
    ) throws(MessageStoreError) {
        self.directory = try StoreDirectory(path: directory, file: "chat.sqlite", lockFile: "chat.lock")
        self.durability = durability
        self.now = now
        let file = self.directory.databaseFile
        do {
            pool = try StoreSchema.chat.open(file: file, durability: durability)
        } catch {
            throw MessageStoreError(error, file: file)
        }
        writer = StoreWriter(pool: pool, directory: self.directory, rows: ChatRows(inboxEntries: max(1, inboxEntries)))
    }

    /// Why the latest changes could not be stored; nil when they were stored, or when there was no change yet.
    public var failure: MessageStoreError? { writer.failure }

    public func commit(_ commit: ChatCommit, application: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        writer.append(ChatRows.Item(commit: commit, application: application), completion: completion)
    }

    public func reserve(idsUpTo limit: UInt64) async throws { try await writer.reserve(limit, durability: durability) }

    public func close() async {
        await writer.close()
        try? pool.close()
        directory.release()
    }

    /// Reads from the database while the writer may be writing.
    private func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await pool.read(body)
        } catch let error as CancellationError {
            throw error
        } catch is DecodingError {
            throw MessageStoreError.damaged(file: directory.databaseFile)
        } catch {
            throw MessageStoreError(error, file: directory.databaseFile)
        }
    }
}

// MARK: - Reading

extension SQLiteChatStore {
    public func inbox(
        of user: Identifier, after sequence: UInt64, limit: Int, application: String
    ) async throws -> [ChatInboxEntry] {
        guard limit > 0 else { return [] }
        return try await read { database in
            guard let inbox = try Self.inbox(of: user, application, database) else { return [] }
            let statement = try database.cachedStatement(
                sql: """
                    SELECT inbox_entry.sequence, event.body FROM inbox_entry CROSS JOIN event ON event.id = inbox_entry.event
                    WHERE inbox_entry.inbox = ? AND inbox_entry.sequence > ? ORDER BY inbox_entry.sequence LIMIT ?
                    """)
            var page: [ChatInboxEntry] = []
            page.reserveCapacity(min(limit, 200))
            let rows = try Row.fetchCursor(statement, arguments: [inbox, Int64(clamping: sequence), limit])
            while let row = try rows.next() {
                page.append(ChatInboxEntry(sequence: UInt64(clamping: row[0] as Int64), body: MessageRow.bytes(row, 1) ?? []))
            }
            return page
        }
    }

    public func history(_ query: ChatHistoryQuery, application: String) async throws -> [ChatEvent] {
        guard query.limit > 0 else { return [] }
        return try await read { database in
            guard let conversation = try Self.conversation(query.conversation, of: application, in: database) else { return [] }
            let viewer = try query.viewer.flatMap { try Self.inbox(of: $0, application, database) }
            let floor = try viewer.flatMap { viewer in
                try Int64.fetchOne(
                    database.cachedStatement(sql: "SELECT event FROM hidden_up_to WHERE inbox = ? AND conversation = ?"),
                    arguments: [viewer, conversation])
            }
            let visible = """
                AND NOT EXISTS (SELECT 1 FROM hidden WHERE hidden.event = event.id AND inbox = ?)
                AND (NOT EXISTS (SELECT 1 FROM reader WHERE reader.event = event.id)
                     OR EXISTS (SELECT 1 FROM reader WHERE reader.event = event.id AND inbox = ?))
                """
            let statement = try database.cachedStatement(
                sql: """
                    SELECT id, sender, client_id, audience, body FROM event
                    WHERE conversation = ? AND id > ? AND id < ? \(query.viewer == nil ? "" : visible)
                    ORDER BY id \(query.isOldestFirst ? "ASC" : "DESC") LIMIT ?
                    """)
            var arguments: StatementArguments = [
                conversation, max(Int64(clamping: query.after ?? 0), floor ?? 0), Int64(clamping: query.before ?? .max),
            ]
            // No inbox has the row id 0. It stands for a viewer without an inbox: such a viewer has hidden no messages and may read none
            // that is restricted to some users.
            if query.viewer != nil { arguments += [viewer ?? 0, viewer ?? 0] }
            arguments += [query.limit]
            var page: [ChatEvent] = []
            let rows = try Row.fetchCursor(statement, arguments: arguments)
            while let row = try rows.next() { page.append(Self.event(of: row, in: query.conversation)) }
            return page
        }
    }

    public func event(_ id: UInt64, in conversation: Identifier, application: String) async throws -> ChatEvent? {
        try await read { database in
            guard let number = try Self.conversation(conversation, of: application, in: database) else { return nil }
            let statement = try database.cachedStatement(
                sql: "SELECT id, sender, client_id, audience, body FROM event WHERE id = ? AND conversation = ?")
            guard let row = try Row.fetchOne(statement, arguments: [Int64(clamping: id), number]) else { return nil }
            var event = Self.event(of: row, in: conversation)
            let readers = try String.fetchAll(
                database.cachedStatement(
                    sql: "SELECT inbox.name FROM reader JOIN inbox ON inbox.id = reader.inbox WHERE reader.event = ?"),
                arguments: [Int64(clamping: id)])
            if !readers.isEmpty { event.readers = readers.map { Identifier($0) } }
            return event
        }
    }

    public func receipts(of ids: [UInt64], application: String) async throws -> [UInt64: [ChatReceipt]] {
        try await read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT receipt.reader, receipt.time FROM receipt
                    JOIN event ON event.id = receipt.event JOIN application ON application.id = event.application
                    WHERE receipt.event = ? AND application.name = ? ORDER BY receipt.id
                    """)
            return try ids.reduce(into: [:]) { found, id in
                let readers = try Row.fetchAll(statement, arguments: [Int64(clamping: id), application])
                if !readers.isEmpty { found[id] = readers.map { ChatReceipt(user: Identifier($0[0] as String), time: $0[1]) } }
            }
        }
    }

    private static func event(of row: Row, in conversation: Identifier) -> ChatEvent {
        ChatEvent(
            id: UInt64(clamping: row[0] as Int64), conversation: conversation, sender: Identifier(row[1] as String),
            clientID: (row[2] as String?).map { Identifier($0) },
            body: MessageRow.bytes(row, 4) ?? [], audience: row[3])
    }

    private static func inbox(of user: Identifier, _ application: String, _ database: Database) throws -> Int64? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT inbox.id FROM application JOIN inbox ON inbox.application = application.id
                WHERE application.name = ? AND inbox.name = ?
                """)
        return try Int64.fetchOne(statement, arguments: [application, user.text])
    }

    private static func conversation(_ name: Identifier, of application: String, in database: Database) throws -> Int64? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT conversation.id FROM application JOIN conversation ON conversation.application = application.id
                WHERE application.name = ? AND conversation.name = ?
                """)
        return try Int64.fetchOne(statement, arguments: [application, name.text])
    }
}

// MARK: - Starting

extension SQLiteChatStore {
    public func restore() async throws -> RestoredChat { try await restore(only: nil) }

    public func restore(_ applications: Set<Identifier>) async throws -> RestoredChat { try await restore(only: applications) }

    private func restore(only wanted: Set<Identifier>?) async throws -> RestoredChat {
        let horizon = Int64(clamping: recentSendsHorizon(at: now()))
        let file = directory.databaseFile
        return try await read { database in
            guard let epoch = try String.fetchOne(database, sql: "SELECT epoch FROM life") else {
                throw MessageStoreError.damaged(file: file)
            }
            var restored = RestoredChat(epoch: epoch)
            let reserved = try Int64.fetchOne(database, sql: "SELECT timetoken FROM reservation") ?? 0
            // Every server reserves ids before it accepts requests, so a database without reserved ids was never used by a server.
            restored.isFirstStart = reserved == 0
            let newest = try Int64.fetchOne(database, sql: "SELECT max(id) FROM event") ?? 0
            restored.highestID = UInt64(clamping: max(reserved, newest))
            let applications = try Row.fetchAll(database, sql: "SELECT id, name FROM application")
            for row in applications {
                let name = Identifier(row[1] as String)
                guard wanted?.contains(name) != false else { continue }
                restored.applications[name] = try Self.restore(application: row[0], since: horizon, database)
            }
            return restored
        }
    }

    private static func restore(
        application: Int64, since horizon: Int64, _ database: Database
    ) throws -> RestoredChat.Application {
        var restored = RestoredChat.Application()
        let decoder = JSONDecoder()
        let documents = try Row.fetchCursor(
            database, sql: "SELECT value FROM document WHERE application = ?", arguments: [application])
        while let row = try documents.next() {
            restored.documents.append(try decoder.decode(ChatDocument.self, from: row[0] as Data))
        }
        let inboxes = try Row.fetchCursor(
            database,
            sql: """
                SELECT name, acknowledged, last, (SELECT max(sequence) FROM inbox_entry WHERE inbox_entry.inbox = inbox.id)
                FROM inbox WHERE application = ?
                """, arguments: [application])
        while let row = try inboxes.next() {
            let last = max(row[2] as Int64, row[3] as Int64? ?? 0)
            restored.inboxes[Identifier(row[0] as String)] = (UInt64(clamping: last), UInt64(clamping: row[1] as Int64))
        }
        let sends = try Row.fetchCursor(
            database,
            sql: """
                SELECT sender, client_id, id, own_sequence FROM event
                WHERE id > ? AND +application = ? AND client_id IS NOT NULL ORDER BY id
                """, arguments: [horizon, application])
        while let row = try sends.next() {
            let sequence = (row[3] as Int64?).map { UInt64(clamping: $0) }
            let (sender, clientID) = (Identifier(row[0] as String), Identifier(row[1] as String))
            restored.recentSends.append((sender, clientID, UInt64(clamping: row[2] as Int64), sequence))
        }
        return restored
    }
}

// MARK: - Purging

extension SQLiteChatStore {
    /// The largest number of rows that one transaction deletes, so that other writes can be performed between two transactions.
    static var purgeStep: Int { 300 }

    public func purge(inboxBefore inbox: UInt64, historyBefore history: UInt64) async throws {
        let floor = Int64(clamping: inbox)
        guard !writer.isClosed else { throw MessageStoreError.closed }
        var slice = try await dueInboxes(after: 0, before: floor)
        while let last = slice.last {
            var due = slice.due[...]
            while !due.isEmpty { due = try await purge(due, before: floor) }
            slice = try await dueInboxes(after: last, before: floor)
        }
        let loose = "SELECT id FROM event WHERE conversation IS NULL AND id < ? LIMIT ?"
        while try await purgeEvents(loose, before: floor) == Self.purgeStep {}
        let old = "SELECT id FROM event WHERE id < ? LIMIT ?"
        while try await purgeEvents(old, before: min(floor, Int64(clamping: history))) == Self.purgeStep {}
        while try await writer.giveSpaceBack() {}
    }

    public func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] {
        guard !writer.isClosed else { throw MessageStoreError.closed }
        let writer = writer
        if try await read({ try EventUsage.hasManyEmptyDays($0) }) {
            try await writer.perform { try EventUsage.forgetEmptyDays($0) }
        }
        return try await trimmer.trim(limits, try await read { try EventUsage.totals($0) }) { application, limits, from in
            try await writer.perform { try EventUsage.trim(application.text, limits, from: from, $0) }
        }
    }

    /// Searches the next 1000 inboxes for entries to purge, while the writer may be writing. The returned `last` is the row id of the last
    /// inbox that was searched; nil when no inbox follows.
    private func dueInboxes(after: Int64, before floor: Int64) async throws -> (due: [Int64], last: Int64?) {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT id, (SELECT event FROM inbox_entry WHERE inbox = inbox.id ORDER BY sequence LIMIT 1)
                    FROM inbox WHERE id > ? ORDER BY id LIMIT 1000
                    """, arguments: [after])
            return (rows.filter { ($0[1] as Int64?).map { $0 < floor } ?? false }.map { $0[0] }, rows.last?[0])
        }
    }

    /// Deletes the oldest entries of inboxes in one transaction. Returns the inboxes in which more entries have to be deleted.
    private func purge(_ inboxes: ArraySlice<Int64>, before floor: Int64) async throws -> ArraySlice<Int64> {
        try await writer.perform { database in
            let selection = try database.cachedStatement(
                sql: "SELECT sequence, event FROM inbox_entry WHERE inbox = ? ORDER BY sequence LIMIT ?")
            var left = inboxes
            var room = Self.purgeStep
            while room > 0, let inbox = left.first {
                // All entries to delete are at the beginning of the inbox, because its entries are in the order of their event ids.
                let due = try Row.fetchAll(selection, arguments: [inbox, room]).prefix { ($0[1] as Int64) < floor }
                if due.count < room { left.removeFirst() }
                room -= max(due.count, 1)
                guard let last = due.last else { continue }
                try database.execute(
                    sql: "DELETE FROM inbox_entry WHERE inbox = ? AND sequence <= ?", arguments: [inbox, last[0] as Int64])
                try database.execute(
                    sql: "UPDATE inbox SET last = max(last, ?) WHERE id = ?", arguments: [last[0] as Int64, inbox])
            }
            return left
        }
    }

    private func purgeEvents(_ selection: String, before floor: Int64) async throws -> Int {
        try await writer.perform { database in
            let due = try Int64.fetchAll(database.cachedStatement(sql: selection), arguments: [floor, Self.purgeStep])
            for table in ["receipt WHERE event", "hidden WHERE event", "reader WHERE event", "event WHERE id"] {
                let deletion = try database.cachedStatement(sql: "DELETE FROM \(table) = ?")
                for id in due { try deletion.execute(arguments: [id]) }
            }
            return due.count
        }
    }
}
