import GRDB
import Lifeline

/// The table, version and SQLite settings of an outbox's file.
enum OutboxSchema {
    /// The SQLite application id, "LIFO" in ASCII, by which a file is recognised as an outbox.
    static let applicationID: Int32 = 0x4C49_464F

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 entries") { database in
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.execute(
                sql: """
                    CREATE TABLE entry (
                        id TEXT PRIMARY KEY NOT NULL, place INTEGER NOT NULL, channel TEXT NOT NULL, event TEXT NOT NULL,
                        json TEXT NOT NULL, is_stored INTEGER, enqueued INTEGER NOT NULL, lifetime INTEGER NOT NULL,
                        state INTEGER NOT NULL, first_sent INTEGER, code TEXT, reason TEXT, number INTEGER
                    ) STRICT
                    """)
        }
        return migrator
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "lifeline.outbox"
        configuration.journalMode = .wal
        configuration.prepareDatabase { database in
            // The record of an attempt is written before the message is sent. It must survive a power failure, because otherwise the
            // message could be sent twice.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            // The bytes of deleted messages are overwritten with zeros.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            try database.execute(sql: "PRAGMA journal_size_limit = 1048576")
        }
        return configuration
    }

    /// Opens the file, updates its schema to this version and reads all records.
    ///
    /// - Throws: `SQLITE_CORRUPT` or `SQLITE_NOTADB` when the file cannot be used and a new one is necessary.
    static func open(path: String) async throws -> (DatabaseQueue, [OutboxRecord]) {
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        do {
            try await queue.read(check)
            do {
                try migrator.migrate(queue)
                return (queue, try await queue.read(OutboxRows.all))
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR || error.resultCode == .SQLITE_CONSTRAINT {
                // The table differs from the one that this version of the schema creates, so the file counts as damaged.
                throw DatabaseError(resultCode: .SQLITE_CORRUPT)
            }
        } catch {
            try? queue.close()
            throw error
        }
    }

    /// Throws if the file is damaged or not an outbox of this or an earlier version. The whole file is checked, because it is small.
    @Sendable private static func check(_ database: Database) throws {
        let id = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let tables = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
        let isOurs = id == applicationID || (id == 0 && tables == 0)
        guard isOurs, try !migrator.hasBeenSuperseded(database),
            try String.fetchOne(database, sql: "PRAGMA quick_check(1)") == "ok"
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    }
}
