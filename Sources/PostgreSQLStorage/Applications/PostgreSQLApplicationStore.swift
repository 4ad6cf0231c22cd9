import Identifiers
import ServerStorage

/// Stores the applications that are created at run time in a PostgreSQL database, beside the tables of the other stores (rule PG-20).
package final class PostgreSQLApplicationStore: ApplicationStore {
    /// The item type of the writer's queue. It has no values, because this store queues no items: each change waits for its answer.
    private struct NoItems: PostgresItems {
        func cost(of item: Never) -> Int {}
        func statements(for item: Never) -> [PostgresStatement] {}
        func counts(of items: [Never]) -> [PostgresStatement] { [] }
    }

    private let database: PostgresDatabase<NoItems>
    private let schema: String

    /// Only one server at a time writes. The store counts as shared nevertheless, because a change may have been stored although its answer
    /// was lost.
    package var isShared: Bool { true }

    private init(_ database: PostgresDatabase<NoItems>, schema: String) {
        self.database = database
        self.schema = schema
    }

    /// Connects, and creates the tables or migrates them to this version.
    ///
    /// - Throws: the reason why the database cannot be used.
    package static func open(_ settings: PostgreSQLSettings) async throws(PostgreSQLStoreError) -> PostgreSQLApplicationStore {
        let database = try await PostgresDatabase.open(
            settings, part: ApplicationTables.part, migrations: ApplicationTables.migrations, items: NoItems())
        return PostgreSQLApplicationStore(database, schema: settings.schema)
    }

    // Reads are rare, so the writing connection performs them, and the store needs no connection for reading.

    package func load() async throws -> StoredApplications {
        let schema = schema
        return try await database.writer.perform { connection in
            var stored = StoredApplications(version: try Self.version(connection, schema))
            let rows = try connection.run("SELECT name, body FROM application")
            for row in 0..<rows.count {
                guard let name = rows.name(row, 0), let body = rows.bytes(row, 1) else { continue }
                stored.entries[name] = body
            }
            return stored
        }
    }

    package func version() async throws -> Int64 {
        let schema = schema
        return try await database.writer.perform { try Self.version($0, schema) }
    }

    package func write(_ entry: [UInt8]?, name: Identifier, after version: Int64) async throws -> Int64? {
        try await database.writer.perform { connection in
            // The transaction waits for the disk, because a secret that was shown once must not be lost in a power failure.
            try connection.execute("SET LOCAL synchronous_commit = on")
            let change = try connection.run(
                "UPDATE application_change SET number = number + 1 WHERE number = $1 RETURNING number", [.integer(version)])
            guard let next = change.integer(0, 0) else { return nil }
            if let entry {
                try connection.run(
                    "INSERT INTO application (name, body) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET body = excluded.body",
                    [.name(name), .bytes(entry)])
            } else {
                try connection.run("DELETE FROM application WHERE name = $1", [.name(name)])
            }
            return next
        }
    }

    /// Does nothing: only one server at a time uses the tables, so no other server changes them.
    package func watch(_ changed: @escaping @Sendable () -> Void) {}

    package func close() async { await database.close() }

    private static func version(_ connection: PostgresConnection, _ schema: String) throws -> Int64 {
        guard let number = try connection.run("SELECT number FROM application_change").integer(0, 0) else {
            throw PostgreSQLStoreError.damaged(schema: schema)
        }
        return number
    }
}
