import ServerStorage
import ServerValues

/// The tables of a schema, for copying. The schema is locked in the same way as by a server (rules DC-3 and DC-4).
package final class PostgreSQLTables: WritableStoredTables {
    /// The connection that holds the locks and writes.
    private let main: PostgresConnection
    /// The connection that reads, so that a table can be read while it is written.
    private let reading: PostgresConnection
    package let parts: Set<StoredPart>
    /// For each partitioned table, the days whose partitions were created or found.
    private var preparedDays: [String: Set<Int64>] = [:]

    /// Connects for reading only, and locks the stores that the schema has.
    ///
    /// - Throws: `PostgreSQLStoreError`.
    package static func reading(_ settings: PostgreSQLSettings) throws -> PostgreSQLTables {
        try translating {
            let libpq = try LibPQ()
            try settings.check(libpq)
            let connection = try connect(settings, libpq, readsOnly: true)
            let found = try connection.run("SELECT to_regclass('store') IS NOT NULL")
            guard found.integer(0, 0) == 1 else { throw PostgreSQLStoreError.unprepared(schema: settings.schema) }
            let rows = try connection.run("SELECT part FROM store")
            let parts = Set((0..<rows.count).compactMap { rows.text($0, 0).flatMap(StoredPart.init) })
            guard !parts.isEmpty else { throw PostgreSQLStoreError.unprepared(schema: settings.schema) }
            for part in StoredPart.allCases where parts.contains(part) {
                let tables = PostgresTables(part, settings)
                try tables.lock(connection)
                let found = try connection.run("SELECT version FROM store WHERE part = $1", [.text(part.rawValue)])
                let (version, latest) = (found.integer(0, 0) ?? 0, Int64(tables.migrations.count))
                guard version <= latest else { throw PostgreSQLStoreError.newer(schema: settings.schema) }
                guard tables.canUse(version) else { throw PostgreSQLStoreError.unprepared(schema: settings.schema) }
            }
            return PostgreSQLTables(connection, reading: try connect(settings, libpq, readsOnly: true), parts: parts)
        }
    }

    /// Connects for reading and writing, locks the stores, and creates their tables if necessary.
    ///
    /// - Throws: `PostgreSQLStoreError`.
    package static func writing(_ settings: PostgreSQLSettings, parts: Set<StoredPart>) throws -> PostgreSQLTables {
        try translating {
            let libpq = try LibPQ()
            try settings.check(libpq)
            let connection = try connect(settings, libpq, readsOnly: false)
            for part in StoredPart.allCases where parts.contains(part) { try PostgresTables(part, settings).take(connection) }
            return PostgreSQLTables(connection, reading: try connect(settings, libpq, readsOnly: true), parts: parts)
        }
    }

    private init(_ main: PostgresConnection, reading: PostgresConnection, parts: Set<StoredPart>) {
        self.main = main
        self.reading = reading
        self.parts = parts
    }

    private static func connect(
        _ settings: PostgreSQLSettings, _ libpq: LibPQ, readsOnly: Bool
    ) throws -> PostgresConnection {
        var settings = settings
        // The timeout is at least an hour, because a table may have to be sorted or counted before the first answer.
        settings.answerTimeout = max(settings.answerTimeout, 3_600_000)
        let connection = try PostgresConnection(settings, libpq)
        try connection.execute("SET search_path TO \(settings.quotedSchema)")
        if readsOnly { try connection.execute("SET default_transaction_read_only = on") }
        return connection
    }

    package func count(_ table: StoredTable) throws -> Int {
        try Self.translating { Int(clamping: try reading.run(PostgresTableForm(table).count).integer(0, 0) ?? 0) }
    }

    /// The number of rows that one fetch returns at most.
    private static let fetched = 200

    package func read<Value>(
        _ table: StoredTable, _ body: (_ next: @escaping () throws -> StoredRow?) throws -> Value
    ) throws -> Value {
        try Self.translating {
            try reading.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") { connection in
                try connection.execute("DECLARE part NO SCROLL CURSOR FOR \(PostgresTableForm(table).selection)")
                var rows = try connection.fetch("FETCH \(Self.fetched) FROM part")
                var row = 0
                return try body {
                    if row == rows.count, rows.count == Self.fetched {
                        rows = try connection.fetch("FETCH \(Self.fetched) FROM part")
                        row = 0
                    }
                    guard row < rows.count else { return nil }
                    defer { row += 1 }
                    return table.columns.enumerated().map { index, column in
                        Self.value(rows, row: row, column: index, kind: column.kind)
                    }
                }
            }
        }
    }

    package func write(_ rows: [StoredRow], into table: StoredTable) throws {
        let form = PostgresTableForm(table)
        let statements = rows.flatMap { row in
            form.writing.map { writing in
                PostgresStatement(
                    writing.sql,
                    writing.columns.map { column in
                        row.indices.contains(column) && table.columns.indices.contains(column)
                            ? Self.parameter(row[column], table.columns[column].kind) : .bytes(nil)
                    })
            }
        }
        try Self.translating {
            try makePartitions(for: rows, of: table)
            try main.pipeline(statements)
        }
    }

    /// The largest number of days of a table for which partitions are created. Rows of further days are in the default partition.
    private static let mostDays = 4_000

    /// Creates the partitions of the rows' days, which may be in the past. A server creates partitions only for the present (rule DC-11).
    private func makePartitions(for rows: [StoredRow], of table: StoredTable) throws {
        guard let partitions = PostgresPartitions(of: table),
            let column = table.columns.firstIndex(where: { $0.name == partitions.column })
        else { return }
        let today = Int64(clamping: systemTicks()) / HistoryTrimmer.day
        let days = rows.compactMap { row -> Int64? in
            guard row.indices.contains(column), case .integer(let time) = row[column] else { return nil }
            let day = time / HistoryTrimmer.day
            return 1 <= day && day <= today + PostgresPartitions.daysAhead ? day : nil
        }
        let new = Set(days).subtracting(preparedDays[table.title] ?? [])
        guard !new.isEmpty, preparedDays[table.title]?.count ?? 0 < Self.mostDays else { return }
        preparedDays[table.title, default: []].formUnion(new)
        let known = try partitions.list(main)
        for day in new.sorted() where !known.contains(where: { $0.covers(day) }) {
            try main.transaction("BEGIN") { try partitions.make(day, $0) }
        }
    }

    package func finish(_ table: StoredTable) throws {
        guard let finish = PostgresTableForm(table).finish else { return }
        try Self.translating { _ = try main.run(finish) }
    }

    /// Releases the locks. The connections end with this object.
    package func close() {
        // An error is ignored, because the server also releases the locks when it notices the end of the connection.
        _ = try? main.run("SELECT pg_advisory_unlock_all()")
    }

    private static func value(
        _ rows: PostgresRows, row: Int, column: Int, kind: StoredTable.Column.Kind
    ) -> StoredValue {
        switch kind {
        case .integer: rows.integer(row, column).map { .integer($0) } ?? .null
        case .text, .bytes: rows.bytes(row, column).map { .bytes($0) } ?? .null
        }
    }

    private static func parameter(_ value: StoredValue, _ kind: StoredTable.Column.Kind) -> PostgresValue {
        switch (value, kind) {
        case (.integer(let number), _): .integer(number)
        case (.bytes(let bytes), _): .bytes(bytes)
        case (.null, .integer): .integer(nil)
        case (.null, .text), (.null, .bytes): .bytes(nil)
        }
    }

    private static func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PostgresError {
            throw PostgreSQLStoreError(error)
        }
    }
}

extension PostgresTables {
    /// The tables of a part, which is the store of messages, chat or applications.
    convenience init(_ part: StoredPart, _ settings: PostgreSQLSettings) {
        switch part {
        case .messages: self.init(part: MessageTables.part, migrations: MessageTables.migrations, settings)
        case .chat: self.init(part: ChatTables.part, migrations: ChatTables.migrations, settings)
        case .applications:
            self.init(part: ApplicationTables.part, migrations: ApplicationTables.migrations, settings)
        }
    }
}
