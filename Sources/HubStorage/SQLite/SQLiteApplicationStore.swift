import Foundation
import GRDB
import Identifiers
import ServerStorage

/// Keeps the applications that are created at run time in a separate SQLite database, which only the owner of the file can read (rule
/// AR-4).
package final class SQLiteApplicationStore: ApplicationStore {
    private let directory: StoreDirectory
    private let pool: DatabasePool

    package var isShared: Bool { false }

    /// Opens the database in `directory`, which is created if necessary. The call blocks while it reads the file.
    ///
    /// - Throws: `MessageStoreError`.
    package init(directory: String) throws(MessageStoreError) {
        self.directory = try StoreDirectory(path: directory, file: "applications.sqlite", lockFile: "applications.lock")
        do {
            // Each change waits until the disk has written it. Changes are rare, and a secret that was shown to the operator once must not
            // be lost in a power failure.
            pool = try StoreSchema.applications.open(file: self.directory.databaseFile, durability: .power)
        } catch {
            throw MessageStoreError(error, file: self.directory.databaseFile)
        }
    }

    package func load() async throws -> StoredApplications {
        try await translating {
            try await pool.read { database in
                var stored = StoredApplications(version: try Self.version(database))
                let rows = try Row.fetchCursor(database, sql: "SELECT name, body FROM application")
                while let row = try rows.next() {
                    stored.entries[Identifier(row[0] as String)] = MessageRow.bytes(row, 1) ?? []
                }
                return stored
            }
        }
    }

    package func version() async throws -> Int64 { try await translating { try await pool.read { try Self.version($0) } } }

    package func write(_ entry: [UInt8]?, name: Identifier, after version: Int64) async throws -> Int64? {
        try await translating {
            try await pool.write { database in
                guard try Self.version(database) == version else { return nil }
                let next = version &+ 1
                if let entry {
                    try database.execute(
                        sql: "INSERT OR REPLACE INTO application (name, body) VALUES (?, ?)",
                        arguments: [name.text, Data(entry)])
                } else {
                    try database.execute(sql: "DELETE FROM application WHERE name = ?", arguments: [name.text])
                }
                try database.execute(sql: "UPDATE change SET number = ?", arguments: [next])
                return next
            }
        }
    }

    /// Does nothing, because no other server uses the directory at the same time, so no other server can change the applications.
    package func watch(_ changed: @escaping @Sendable () -> Void) {}

    package func close() async {
        // An error while closing is ignored: after this call the process ends, or a new store opens the directory.
        try? pool.close()
        directory.release()
    }

    private static func version(_ database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "SELECT number FROM change") ?? 0
    }

    private func translating<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw MessageStoreError(error, file: directory.databaseFile)
        }
    }
}

extension StoreSchema {
    /// The schema of the database of applications. SQLite's application id in the file is "LIFA" in ASCII.
    static var applications: StoreSchema {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 applications") { database in
            try database.execute(sql: "PRAGMA application_id = \(0x4C49_4641)")
            try database.execute(
                sql: "CREATE TABLE application (name TEXT PRIMARY KEY NOT NULL, body BLOB NOT NULL) WITHOUT ROWID")
            try database.execute(sql: "CREATE TABLE change (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL)")
            try database.execute(sql: "INSERT INTO change (id, number) VALUES (1, 0)")
        }
        return StoreSchema(applicationID: 0x4C49_4641, migrator: migrator)
    }
}
