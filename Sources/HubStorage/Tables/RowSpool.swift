import Foundation
import GRDB
import NIOConcurrencyHelpers
import ServerStorage

/// Sorts rows in a temporary file, for a source that has no order. The file is deleted with this object, or when the process ends.
///
/// The file is in the system's directory for temporary files (`SQLITE_TMPDIR` or `TMPDIR`, otherwise `/var/tmp` or `/tmp`), has no name
/// there, and takes about as much space as the rows.
package final class RowSpool: RowSink, StoredTables {
    package let parts: Set<StoredPart>
    private let database: DatabaseQueue
    private let added = NIOLockedValueBox(0)
    private let report: @Sendable (Int) -> Void

    /// The words that stand for the file in error texts.
    private static let file = "the temporary file of the copy (in the directory that TMPDIR names)"
    /// How many bytes of rows SQLite keeps in memory.
    private static let memory = 64 << 20
    /// The number of added rows between two calls of `report`.
    private static let reported = 1_000

    /// - Parameters:
    ///   - parts: the parts of a data directory whose rows are added.
    ///   - report: called with the number of rows that were added, from any thread and without a lock.
    /// - Throws: `MessageStoreError`.
    package init(parts: Set<StoredPart>, report: @escaping @Sendable (Int) -> Void = { _ in }) throws(MessageStoreError) {
        self.parts = parts
        self.report = report
        do {
            var configuration = Configuration()
            configuration.label = "lifeline.spool"
            configuration.prepareDatabase { database in
                // Safety after a crash is not needed, because the file is temporary.
                for pragma in ["journal_mode = OFF", "synchronous = OFF", "cache_size = -\(RowSpool.memory >> 10)"] {
                    try database.execute(sql: "PRAGMA \(pragma)")
                }
            }
            // For an empty path, SQLite creates a temporary file.
            database = try DatabaseQueue(path: "", configuration: configuration)
            try database.write { database in
                for table in StoredTable.all where parts.contains(table.part) {
                    try database.execute(
                        sql: "CREATE TABLE \(RowSpool.name(table)) (key BLOB PRIMARY KEY, rest BLOB NOT NULL) WITHOUT ROWID")
                }
            }
        } catch {
            throw MessageStoreError(error, file: RowSpool.file)
        }
    }

    private static func name(_ table: StoredTable) -> String { "\"\(table.title)\"" }

    /// The number of columns that identify a row. In a table whose key is a number that is assigned afterwards, all columns identify a row,
    /// because several rows may have the same first value.
    private static func width(of table: StoredTable) -> Int {
        table.conflict == .numbered ? table.columns.count : table.keyCount
    }

    // MARK: Adding

    package func put(_ row: StoredRow, into table: StoredTable) throws {
        let width = Self.width(of: table)
        let (key, rest) = (RowCoding.encode(row.prefix(width)), RowCoding.encode(row.dropFirst(width)))
        let word =
            switch table.conflict {
            case .other, .numbered: "INSERT OR REPLACE"
            case .initial: "INSERT OR IGNORE"
            case .limit: "INSERT"
            }
        // Of two limits with the same key the larger one is kept. The encoded limits can be compared, because encoded rows sort in the
        // order of their values.
        let larger = table.conflict == .limit ? "ON CONFLICT (key) DO UPDATE SET rest = max(rest, excluded.rest)" : ""
        try translating {
            // Each row is written without an explicit transaction. A transaction for several rows would add two statements and save
            // nothing, because SQLite does not wait for the disk here.
            try database.writeWithoutTransaction { database in
                try database.cachedStatement(sql: "\(word) INTO \(Self.name(table)) (key, rest) VALUES (?, ?) \(larger)")
                    .execute(arguments: [Data(key), Data(rest)])
            }
        }
        let count = added.withLockedValue { added in
            added += 1
            return added
        }
        if count % Self.reported == 0 { report(count) }
    }

    package func row(_ key: StoredRow, of table: StoredTable) throws -> StoredRow? {
        try translating {
            try database.writeWithoutTransaction { database in
                let statement = try database.cachedStatement(sql: "SELECT rest FROM \(Self.name(table)) WHERE key = ?")
                guard let row = try Row.fetchOne(statement, arguments: [Data(RowCoding.encode(key))]) else { return nil }
                return key + (try Self.values(row, 0))
            }
        }
    }

    // MARK: Reading

    package func count(_ table: StoredTable) throws -> Int {
        try translating {
            try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(Self.name(table))") ?? 0 }
        }
    }

    package func read<Value>(
        _ table: StoredTable, _ body: (_ next: @escaping () throws -> StoredRow?) throws -> Value
    ) throws -> Value {
        try translating {
            try database.read { database in
                let rows = try Row.fetchCursor(database, sql: "SELECT key, rest FROM \(Self.name(table)) ORDER BY key")
                var number: Int64 = 0
                return try body {
                    guard let row = try rows.next() else { return nil }
                    let values = try Self.values(row, 0) + Self.values(row, 1)
                    guard table.conflict == .numbered else { return values }
                    number += 1
                    return [.integer(number)] + values.dropFirst()
                }
            }
        }
    }

    package func close() {
        // An error is ignored, because the file is deleted when the process ends.
        try? database.close()
    }

    private static func values(_ row: Row, _ index: Int) throws -> StoredRow {
        guard let values = RowCoding.decode(MessageRow.bytes(row, index) ?? []) else {
            throw MessageStoreError.damaged(file: file)
        }
        return values
    }

    private func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw MessageStoreError(error, file: Self.file)
        }
    }
}
