import Identifiers
import ServerStorage

/// How much histories have, by application and day, in a table that changes in the transaction of each change (rules SO-165 and SO-166).
struct UsageStatements {
    /// The name of the table.
    let table: String

    /// Counts new messages, in the order of the rows, so that two servers never wait for each other.
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

    /// Counts the rows of `gone`, a part of the same statement with the columns `application`, `day` and `size`.
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

    /// What all histories have.
    func totals(_ connection: PostgresConnection) throws -> [Identifier: HistoryTrimmer.Total] {
        let rows = try connection.run(
            """
            SELECT application, sum(messages)::int8, sum(bytes)::int8, min(day) FROM \(table) WHERE messages > 0
            GROUP BY application
            """)
        return (0..<rows.count).reduce(into: [:]) { totals, row in
            guard let application = rows.name(row, 0) else { return }
            let usage = HistoryUsage(
                messages: Int(clamping: rows.integer(row, 1) ?? 0), bytes: Int(clamping: rows.integer(row, 2) ?? 0))
            let first = (rows.integer(row, 3) ?? 0).multipliedReportingOverflow(by: HistoryTrimmer.day)
            totals[application] = HistoryTrimmer.Total(usage: usage, first: first.overflow ? 0 : first.partialValue)
        }
    }

    /// What the history of one application has, within a transaction.
    func total(of application: Identifier, _ connection: PostgresConnection) throws -> HistoryUsage {
        let rows = try connection.run(
            "SELECT coalesce(sum(messages), 0)::int8, coalesce(sum(bytes), 0)::int8 FROM \(table) WHERE application = $1",
            [.name(application)])
        return HistoryUsage(
            messages: Int(clamping: rows.integer(0, 0) ?? 0), bytes: Int(clamping: rows.integer(0, 1) ?? 0))
    }

    /// Removes the rows of days that have nothing any more.
    func forgetEmptyDays(of application: Identifier, _ connection: PostgresConnection) throws {
        try connection.run("DELETE FROM \(table) WHERE application = $1 AND messages <= 0", [.name(application)])
    }
}

extension UsageStatements {
    /// The number of messages that a step deletes, and of rows that it passes.
    private static let (deleted, passed): (Int64, Int64) = (1000, 5000)

    /// Performs a step of trimming, which is about one day and so about one partition, within a transaction.
    ///
    /// - Parameters:
    ///   - rows: a query of at most `$3` rows from `$2` up to `$8`, excluded, with the columns `place` (their order), `own` (whether the
    ///     row counts for the application `$1`) and `size`.
    ///   - deletion: deletes the rows in `due`, which has all columns of `rows`, and returns `application`, `day` and `size`. It has the
    ///     same bounds, by which PostgreSQL leaves out partitions.
    ///   - besides: another part of the statement, with a comma at its end.
    func trim(
        _ application: Identifier, _ limits: HistoryLimits, from: Int64, rows: String, deletion: String,
        besides: String = "", _ connection: PostgresConnection
    ) throws -> HistoryTrimmer.Step {
        let before = try total(of: application, connection)
        let next = try connection.run(
            "SELECT min(day) FROM \(table) WHERE application = $1 AND messages > 0 AND day >= $2",
            [.name(application), .integer(from / HistoryTrimmer.day)])
        guard let day = next.integer(0, 0) else {
            try forgetEmptyDays(of: application, connection)
            return HistoryTrimmer.Step(usage: before, reached: from, isUnfinished: false)
        }
        let lower = day.multipliedReportingOverflow(by: HistoryTrimmer.day)
        let upper = lower.partialValue.addingReportingOverflow(HistoryTrimmer.day)
        let end = lower.overflow || upper.overflow ? Int64.max : upper.partialValue
        let excess = (
            messages: limits.messages.map { Int64(before.messages) - Int64($0) } ?? 0,
            bytes: limits.bytes.map { Int64(before.bytes) - Int64($0) } ?? 0
        )
        // Of the own rows, in their order, those are due that are too old, or before which too little is gone.
        let found = try connection.run(
            """
            WITH passed AS MATERIALIZED (\(rows)),
            own AS (
                SELECT *, row_number() OVER ordered AS number, sum(size) OVER ordered - size AS bytes_before
                FROM passed WHERE own WINDOW ordered AS (ORDER BY place ROWS UNBOUNDED PRECEDING)
            ),
            due AS (SELECT * FROM own WHERE number <= $4 AND (place < $5 OR number <= $6 OR bytes_before < $7)),
            gone AS (\(deletion)), \(besides)
            \(removals)
            SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM own), (SELECT count(*) FROM passed),
                (SELECT max(place) FROM passed), (SELECT place FROM own WHERE number = (SELECT count(*) FROM due) + 1)
            """,
            [
                .name(application), .integer(max(from, lower.overflow ? from : lower.partialValue)), .integer(Self.passed),
                .integer(Self.deleted), .clamped(limits.lowest), .integer(excess.messages), .integer(excess.bytes), .integer(end),
            ])
        let removed = Int(clamping: found.integer(0, 0) ?? 0)
        var usage = try total(of: application, connection)
        usage.removed = removed
        if let first = found.integer(0, 4) {
            // An own message of the day is left: the step was full, or all that was due is gone.
            if removed < Self.deleted { try forgetEmptyDays(of: application, connection) }
            return HistoryTrimmer.Step(usage: usage, reached: first, isUnfinished: removed == Self.deleted)
        }
        let isWholeDay = found.integer(0, 2) != Self.passed
        return HistoryTrimmer.Step(
            usage: usage, reached: isWholeDay ? end : found.integer(0, 3) ?? end, isUnfinished: true)
    }
}
