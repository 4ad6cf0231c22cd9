import Identifiers
import ServerStorage

/// The number and bytes of the messages in histories, by application and day. The transaction that changes a history also changes this
/// table (rules SO-165 and SO-166).
struct UsageStatements {
    /// The name of the table with the numbers of messages and bytes.
    let table: String

    /// Adds new messages to the counts. The rows are updated in the order of application and day, so that the transactions of two servers
    /// cannot wait for each other.
    func additions(_ counted: [HistoryDay: HistoryUsage]) -> [PostgresStatement] {
        guard !counted.isEmpty else { return [] }
        let rows = counted.sorted { $0.key < $1.key }
        return [
            PostgresStatement(
                """
                INSERT INTO \(table) (application, day, messages, bytes)
                SELECT * FROM unnest($1::bytea[], $2::int8[], $3::int8[], $4::int8[])
                ON CONFLICT (application, day) DO UPDATE SET messages = \(table).messages + excluded.messages,
                    bytes = \(table).bytes + excluded.bytes
                """,
                [
                    .byteArrays(rows.map { Array($0.key.application.utf8) }), .integers(rows.map(\.key.day)),
                    .integers(rows.map { Int64($0.value.messages) }), .integers(rows.map { Int64($0.value.bytes) }),
                ])
        ]
    }

    /// Subtracts the rows of `gone` from the counts. `gone` is a part of the same statement, with the columns `application`, `day` and
    /// `size`.
    var removals: String {
        """
        gone_by_day AS (
            SELECT application, day, count(*) AS messages, sum(size)::int8 AS bytes FROM gone WHERE size IS NOT NULL
            GROUP BY application, day ORDER BY application, day
        ), counted AS (
            UPDATE \(table) SET messages = \(table).messages - gone_by_day.messages, bytes = \(table).bytes - gone_by_day.bytes
            FROM gone_by_day WHERE \(table).application = gone_by_day.application AND \(table).day = gone_by_day.day
        )
        """
    }

    /// The totals of all histories, by application.
    func totals(_ connection: PostgresConnection) throws -> [Identifier: HistoryTrimmer.Total] {
        let rows = try connection.run(
            """
            SELECT application, sum(messages)::int8, sum(bytes)::int8, min(day) FROM \(table) WHERE messages > 0
            GROUP BY application
            """)
        return (0..<rows.count).reduce(into: [:]) { totals, row in
            guard let application = rows.name(row, 0) else { return }
            let usage = Self.usage(messages: rows.integer(row, 1), bytes: rows.integer(row, 2))
            let first = (rows.integer(row, 3) ?? 0).multipliedReportingOverflow(by: HistoryTrimmer.day)
            totals[application] = HistoryTrimmer.Total(usage: usage, first: first.overflow ? 0 : first.partialValue)
        }
    }

    /// The total of one application's history. Call it within a transaction.
    func total(of application: Identifier, _ connection: PostgresConnection) throws -> HistoryUsage {
        let rows = try connection.run(
            "SELECT coalesce(sum(messages), 0)::int8, coalesce(sum(bytes), 0)::int8 FROM \(table) WHERE application = $1",
            [.name(application)])
        return Self.usage(messages: rows.integer(0, 0), bytes: rows.integer(0, 1))
    }

    /// Converts totals of the database. Negative totals become 0, so that the subtraction of a limit from a total cannot overflow (rule
    /// CR-42).
    static func usage(messages: Int64?, bytes: Int64?) -> HistoryUsage {
        HistoryUsage(messages: max(Int(clamping: messages ?? 0), 0), bytes: max(Int(clamping: bytes ?? 0), 0))
    }

    /// Deletes the counts of days that have no messages any more.
    func forgetEmptyDays(of application: Identifier, _ connection: PostgresConnection) throws {
        try connection.run("DELETE FROM \(table) WHERE application = $1 AND messages <= 0", [.name(application)])
    }
}

extension UsageStatements {
    /// The largest number of messages that one step of trimming deletes.
    private static let deleted: Int64 = 1000

    /// The span of time whose messages one step of trimming may delete, and the amounts by which the history exceeds its limits.
    private struct Span {
        /// The beginning of the span, included, and its end, excluded. The span is within one day, and so within one partition.
        var lower: Int64
        var end: Int64
        /// The numbers of messages and bytes by which the history exceeds its limits.
        var messages: Int64
        var bytes: Int64
        /// The number of rows that the step reads.
        var rows: Int64
        /// Whether the history is within its limits, so that only messages that are too old are deleted.
        var isOnlyOld: Bool

        /// - Returns: nil when no message of the day `day` has to be deleted.
        init?(_ day: Int64, from: Int64, _ limits: HistoryLimits, _ usage: HistoryUsage) {
            let start = day.multipliedReportingOverflow(by: HistoryTrimmer.day)
            let next = start.partialValue.addingReportingOverflow(HistoryTrimmer.day)
            lower = start.overflow ? from : max(from, start.partialValue)
            messages = limits.messages.map { Int64(usage.messages) - Int64($0) } ?? 0
            bytes = limits.bytes.map { Int64(usage.bytes) - Int64($0) } ?? 0
            isOnlyOld = messages <= 0 && bytes <= 0
            end = start.overflow || next.overflow ? .max : next.partialValue
            if isOnlyOld { end = min(end, Int64(clamping: limits.lowest)) }
            guard lower < end else { return nil }
            // The step reads one row more than it has to delete, to find the first remaining message. The average size of a message gives
            // the number of rows for the excess bytes.
            let usual = max(1, Int64(usage.bytes) / max(1, Int64(usage.messages)))
            let many = bytes > 0 ? 2 * min(bytes / usual, deleted) + 16 : 0
            rows = isOnlyOld ? deleted : min(max(messages, many, 0), deleted) + 1
        }
    }

    /// Performs a step of trimming, which concerns one day and so one partition. Call it within a transaction.
    ///
    /// - Parameters:
    ///   - rows: a query of the oldest `$3` rows of the application `$1` from `$2` up to `$8`, excluded. Its columns include `place`, which
    ///     orders the rows, and `size`. An index gives the rows in this order, so that rows of other applications cost nothing (rule
    ///     PG-36).
    ///   - deletion: a statement that deletes the rows in `due`, which has all columns of `rows`, and returns `application`, `day` and
    ///     `size`. It has the same bounds, by which PostgreSQL skips other partitions.
    ///   - besides: another part of the statement, with a comma at its end; empty for none.
    func trim(
        _ application: Identifier, _ limits: HistoryLimits, from: Int64, rows: String, deletion: String,
        besides: String = "", _ connection: PostgresConnection
    ) throws -> HistoryTrimmer.Step {
        let before = try total(of: application, connection)
        let next = try connection.run(
            "SELECT min(day) FROM \(table) WHERE application = $1 AND messages > 0 AND day >= $2",
            [.name(application), .integer(from / HistoryTrimmer.day)])
        guard let day = next.integer(0, 0), let span = Span(day, from: from, limits, before) else {
            try forgetEmptyDays(of: application, connection)
            return HistoryTrimmer.Step(usage: before, reached: from, isUnfinished: false)
        }
        // The query is planned for this application, because one plan cannot suit both an application with few messages and an application
        // that has nearly all messages.
        try connection.execute("SET LOCAL plan_cache_mode = force_custom_plan")
        // A row is deleted if it is too old, or if the rows before it are not enough to bring the history within its limits.
        let found = try connection.run(
            """
            WITH oldest AS MATERIALIZED (\(rows)),
            own AS (
                SELECT *, row_number() OVER ordered AS number, sum(size) OVER ordered - size AS bytes_before
                FROM oldest WINDOW ordered AS (ORDER BY place ROWS UNBOUNDED PRECEDING)
            ),
            due AS (SELECT * FROM own WHERE number <= $4 AND (place < $5 OR number <= $6 OR bytes_before < $7)),
            gone AS (\(deletion)), \(besides)
            \(removals)
            SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM own), (SELECT max(place) FROM own),
                (SELECT place FROM own WHERE number = (SELECT count(*) FROM due) + 1)
            """,
            [
                .name(application), .integer(span.lower), .integer(span.rows), .integer(Self.deleted), .clamped(limits.lowest),
                .integer(span.messages), .integer(span.bytes), .integer(span.end),
            ])
        let removed = Int(clamping: found.integer(0, 0) ?? 0)
        var usage = try total(of: application, connection)
        usage.removed = removed
        func step(_ reached: Int64, isUnfinished: Bool) throws -> HistoryTrimmer.Step {
            if !isUnfinished { try forgetEmptyDays(of: application, connection) }
            return HistoryTrimmer.Step(usage: usage, reached: reached, isUnfinished: isUnfinished)
        }
        // A message of the application and day remains: either the message need not be deleted, or this step has reached its limit.
        if let first = found.integer(0, 3) { return try step(first, isUnfinished: removed == Self.deleted) }
        if found.integer(0, 1) == span.rows { return try step(found.integer(0, 2) ?? span.end, isUnfinished: true) }
        return try step(span.end, isUnfinished: !span.isOnlyOld || span.end < Int64(clamping: limits.lowest))
    }
}
