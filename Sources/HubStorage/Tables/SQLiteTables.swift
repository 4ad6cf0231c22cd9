import Foundation
import GRDB
import ServerStorage

/// The tables of a data directory. Its databases are locked in the same way as by a server (rules DC-3 and DC-4).
package final class SQLiteTables: WritableStoredTables {
    private struct Part {
        var directory: StoreDirectory
        var reading: DatabaseQueue
        /// The connection for writing; nil for a directory that is only read.
        var writing: DatabaseQueue?
    }

    private var opened: [StoredPart: Part] = [:]

    package var parts: Set<StoredPart> { Set(opened.keys) }

    /// Locks the existing databases of a directory, and opens them for reading only.
    ///
    /// - Throws: `MessageStoreError`.
    package init(readingFrom directory: String) throws(MessageStoreError) {
        for part in StoredPart.allCases where Self.hasContent(directory + "/" + part.file) {
            try open(part, directory, isWritable: false)
        }
        guard !opened.isEmpty else {
            throw .unusable(path: directory, reason: "there is no database of Lifeline in this directory")
        }
    }

    /// Locks and opens the databases of a directory for writing. Missing databases are created.
    ///
    /// - Throws: `MessageStoreError`.
    package init(writingTo directory: String, parts: Set<StoredPart>) throws(MessageStoreError) {
        for part in StoredPart.allCases where parts.contains(part) { try open(part, directory, isWritable: true) }
    }

    private static func hasContent(_ file: String) -> Bool {
        // An error of this call means that the file does not exist.
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0 > 0
    }

    private func open(_ part: StoredPart, _ path: String, isWritable: Bool) throws(MessageStoreError) {
        let directory = try StoreDirectory(path: path, file: part.file, lockFile: part.lockFile)
        let file = directory.databaseFile
        do {
            var readOnly = StoreSchema.configuration(.process)
            readOnly.readonly = true
            guard isWritable else {
                let queue = try DatabaseQueue(path: file, configuration: readOnly)
                try part.schema.check(queue, file: file)
                opened[part] = Part(directory: directory, reading: queue)
                return
            }
            try part.schema.open(file: file, durability: .power).close()
            let writing = try DatabaseQueue(path: file, configuration: StoreSchema.configuration(.power))
            let reading = try DatabaseQueue(path: file, configuration: readOnly)
            opened[part] = Part(directory: directory, reading: reading, writing: writing)
        } catch {
            directory.release()
            throw MessageStoreError(error, file: file)
        }
    }

    private func part(_ table: StoredTable) throws -> Part {
        guard let part = opened[table.part] else { throw MessageStoreError.closed }
        return part
    }

    package func count(_ table: StoredTable) throws -> Int {
        let part = try part(table)
        return try translating(part) {
            try part.reading.read { try Int.fetchOne($0, sql: SQLiteTableForm(table).count) ?? 0 }
        }
    }

    package func read<Value>(
        _ table: StoredTable, _ body: (_ next: @escaping () throws -> StoredRow?) throws -> Value
    ) throws -> Value {
        let part = try part(table)
        let file = part.directory.databaseFile
        return try translating(part) {
            try part.reading.read { database in
                let rows = try Row.fetchCursor(database, sql: SQLiteTableForm(table).selection)
                return try body {
                    try rows.next().map { row in
                        try table.columns.enumerated().map { index, column in
                            guard let value = Self.value(row, at: index, as: column.kind) else {
                                throw MessageStoreError.damaged(file: file)
                            }
                            return value
                        }
                    }
                }
            }
        }
    }

    package func write(_ rows: [StoredRow], into table: StoredTable) throws {
        let part = try part(table)
        guard let writing = part.writing else { throw MessageStoreError.closed }
        let form = SQLiteTableForm(table)
        try translating(part) {
            try writing.write { database in
                let statements = try form.writing.map { (try database.cachedStatement(sql: $0.sql), $0.columns) }
                for row in rows {
                    for (statement, columns) in statements {
                        let arguments = columns.map { column in
                            row.indices.contains(column) && table.columns.indices.contains(column)
                                ? Self.argument(row[column], table.columns[column].kind) : nil
                        }
                        statement.setUncheckedArguments(StatementArguments(arguments))
                        try statement.execute()
                    }
                }
            }
        }
    }

    /// Counts the copied messages or events, because the copy does not update the counts of histories.
    package func finish(_ table: StoredTable) throws {
        let part = try part(table)
        guard let writing = part.writing else { throw MessageStoreError.closed }
        try translating(part) {
            switch table.title {
            case "messages.message": try writing.write { try MessageUsage.recount($0) }
            case "chat.event": try writing.write { try EventUsage.recount($0) }
            default: break
            }
        }
    }

    package func close() {
        for part in opened.values {
            // An error while closing is ignored, because the process ends after the copy.
            try? part.reading.close()
            if let writing = part.writing {
                // The write-ahead log is emptied, as a server does when it closes. On a full disk the log keeps its content.
                _ = try? writing.writeWithoutTransaction { try $0.checkpoint(.truncate) }
                try? writing.close()
            }
            part.directory.release()
        }
        opened = [:]
    }

    private func translating<Value>(_ part: Part, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw MessageStoreError(error, file: part.directory.databaseFile)
        }
    }
}

// MARK: - Values

extension SQLiteTables {
    /// The value of a row's column; nil if its kind differs from `kind`.
    private static func value(_ row: Row, at index: Int, as kind: StoredTable.Column.Kind) -> StoredValue? {
        guard !row.hasNull(atIndex: index) else { return .null }
        switch kind {
        case .integer: return Int64.fromDatabaseValue(row[index] as DatabaseValue).map { .integer($0) }
        // `bytes` returns nil for an empty value as well, because SQLite returns no address for an empty value.
        case .text, .bytes: return .bytes(MessageRow.bytes(row, index) ?? [])
        }
    }

    /// A value as an argument of a statement. A text with a NUL is passed as a blob, because a TEXT value would end at the NUL.
    private static func argument(_ value: StoredValue, _ kind: StoredTable.Column.Kind) -> (any DatabaseValueConvertible)? {
        switch value {
        case .null: nil
        case .integer(let number): number
        case .bytes(let bytes):
            kind == .text && !bytes.contains(0) ? String(decoding: bytes, as: UTF8.self) : Data(bytes)
        }
    }
}

extension StoredPart {
    fileprivate var file: String {
        switch self {
        case .messages: "lifeline.sqlite"
        case .chat: "chat.sqlite"
        case .applications: "applications.sqlite"
        }
    }

    fileprivate var lockFile: String {
        switch self {
        case .messages: "lock"
        case .chat: "chat.lock"
        case .applications: "applications.lock"
        }
    }

    fileprivate var schema: StoreSchema {
        switch self {
        case .messages: .messages
        case .chat: .chat
        case .applications: .applications
        }
    }
}

extension StoreSchema {
    /// Checks that a database has this version of the schema, because a database that is only read is not migrated.
    fileprivate func check(_ queue: DatabaseQueue, file: String) throws {
        try queue.read { database in
            guard try Int32.fetchOne(database, sql: "PRAGMA application_id") == applicationID else {
                throw MessageStoreError.foreign(file: file)
            }
            if try migrator.hasBeenSuperseded(database) { throw MessageStoreError.newer(file: file) }
            guard try migrator.hasCompletedMigrations(database) else {
                throw MessageStoreError.unusable(
                    path: file,
                    reason:
                        "it was written by an older version of Lifeline; start the server of this version with this directory once"
                )
            }
        }
    }
}
