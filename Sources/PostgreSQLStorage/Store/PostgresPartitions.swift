import NIOConcurrencyHelpers
import ServerStorage
import ServerValues

/// The partitions of a table by time, one for each day, in units of 100 ns since 1970 (rules PG-31 to PG-35).
///
/// Partitions are created ahead. Rows of days without a partition are in the default partition, so that a write does not fail even when a
/// wrong clock gives a row a day without a partition. A table from before the introduction of partitions is one partition, which ends with
/// the day of its migration.
final class PostgresPartitions: Sendable {
    struct Partition: Hashable, Sendable {
        var name: String
        /// The beginning of the partition's time span, included; the smallest integer if it has no beginning.
        var lower: Int64
        /// The end, excluded.
        var upper: Int64

        func covers(_ day: Int64) -> Bool {
            let first = day.multipliedReportingOverflow(by: HistoryTrimmer.day)
            return !first.overflow && lower <= first.partialValue && first.partialValue < upper
        }
    }

    /// The number of days for which partitions are created ahead.
    static let daysAhead: Int64 = 2
    /// The largest number of rows that are moved from the default partition when a partition is created. If a day has more rows there, it
    /// gets no partition.
    private static let movedRows = 10_000

    let table: String
    let column: String
    private let known = NIOLockedValueBox(PartitionWindows(oldest: 0, newest: 0))

    init(table: String, column: String) {
        (self.table, self.column) = (table, column)
    }

    /// The name of the default partition.
    var rest: String { table + "_rest" }

    /// Divides reads into time spans, so that a page reads few partitions.
    var windows: PartitionWindows { known.withLockedValue { $0 } }

    private static func day(of ticks: UInt64) -> Int64 { Int64(clamping: ticks) / HistoryTrimmer.day }

    /// The partitions except the default one, oldest first.
    func list(_ connection: PostgresConnection) throws -> [Partition] {
        let rows = try connection.run(
            """
            SELECT convert_to(relname, 'UTF8'), substring(bound FROM 'FROM \\(''(-?[0-9]+)''\\)')::int8,
                substring(bound FROM 'TO \\(''(-?[0-9]+)''\\)')::int8
            FROM (
                SELECT relname, pg_get_expr(relpartbound, pg_class.oid) AS bound FROM pg_inherits
                JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = '\(table)'::regclass
            ) AS partition WHERE bound <> 'DEFAULT'
            """)
        let partitions = (0..<rows.count).compactMap { row -> Partition? in
            guard let name = rows.text(row, 0), let upper = rows.integer(row, 2) else { return nil }
            return Partition(name: name, lower: rows.integer(row, 1) ?? .min, upper: upper)
        }
        let sorted = partitions.sorted { $0.upper < $1.upper }
        let oldest = sorted.first.map { $0.lower == .min ? $0.upper : $0.lower }
        known.withLockedValue { $0 = PartitionWindows(oldest: oldest ?? 0, newest: sorted.last?.upper ?? 0) }
        return sorted
    }

    /// Returns the days that have no partition yet, of the present day and the days for which partitions are created ahead.
    func missing(at now: UInt64, of partitions: [Partition]) -> [Int64] {
        let today = Self.day(of: now)
        return (today...today + Self.daysAhead).filter { day in !partitions.contains { $0.covers(day) } }
    }

    /// Creates the partition of a day, and moves the day's rows from the default partition into it. Call it within a transaction.
    func make(_ day: Int64, _ connection: PostgresConnection) throws {
        let (lower, upper) = (day * HistoryTrimmer.day, (day + 1) * HistoryTrimmer.day)
        let name = "\(table)_d\(day)"
        let range = "\(column) >= \(lower) AND \(column) < \(upper)"
        // The lock excludes reads while rows move. A read that has looked up the partitions before the new partition is attached would miss
        // the moved rows. The attempt gives up after a second, because waiting for a long read would delay writes. The next round tries
        // again.
        try connection.execute("SET LOCAL lock_timeout = '1s'; LOCK TABLE ONLY \(table) IN ACCESS EXCLUSIVE MODE")
        let early = try connection.fetch(
            "SELECT count(*) FROM (SELECT 1 FROM \(rest) WHERE \(range) LIMIT \(Self.movedRows + 1)) AS early")
        guard early.integer(0, 0) ?? 0 <= Self.movedRows else { return }
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS \(name) (LIKE \(table) INCLUDING DEFAULTS);
            WITH moved AS (DELETE FROM \(rest) WHERE \(range) RETURNING *) INSERT INTO \(name) SELECT * FROM moved;
            ALTER TABLE \(table) ATTACH PARTITION \(name) FOR VALUES FROM (\(lower)) TO (\(upper));
            """)
    }

    /// Drops a partition, together with the counts of its days. Call it within a transaction.
    ///
    /// - Parameter condition: an SQL condition under which the partition is dropped. It is evaluated while no other transaction can write
    ///   to the partition.
    /// - Returns: whether the partition was dropped.
    func drop(
        _ partition: Partition, if condition: String, usage: UsageStatements, _ connection: PostgresConnection
    ) throws -> Bool {
        // The table is locked first, and then its partition, as reads do. The reverse order could cause a deadlock with a read.
        try connection.execute(
            """
            SET LOCAL lock_timeout = '1s'; LOCK TABLE ONLY \(table) IN ACCESS EXCLUSIVE MODE;
            LOCK TABLE ONLY \(partition.name) IN ACCESS EXCLUSIVE MODE
            """)
        guard try connection.fetch("SELECT \(condition)").integer(0, 0) == 1 else { return false }
        let (first, last) = (partition.lower / HistoryTrimmer.day, partition.upper / HistoryTrimmer.day)
        try connection.execute(
            """
            DROP TABLE \(partition.name); DELETE FROM \(usage.table) WHERE day >= \(first) AND day < \(last)
            """)
        return true
    }
}

extension PostgresPartitions {
    static var messages: PostgresPartitions { PostgresPartitions(table: "message", column: "timetoken") }
    static var events: PostgresPartitions { PostgresPartitions(table: "event", column: "id") }

    /// The partitions of a stored table; nil for a table without partitions.
    convenience init?(of table: StoredTable) {
        switch table.title {
        case "messages.message": self.init(table: Self.messages.table, column: Self.messages.column)
        case "chat.event": self.init(table: Self.events.table, column: Self.events.column)
        default: return nil
        }
    }

    /// Creates the missing partitions. If a partition cannot be created now, a later round tries again. Until then, the rows of its day are
    /// in the default partition.
    ///
    /// - Parameter check: the statement with which each transaction of a cluster's leader begins; nil when one server at a time uses the
    ///   database.
    func prepare<Items>(
        _ database: PostgresDatabase<Items>, under check: PostgresStatement?, at now: UInt64
    ) async throws(PostgreSQLStoreError) {
        let partitions = try await database.writer.perform(under: check) { try self.list($0) }
        let missing = missing(at: now, of: partitions)
        guard !missing.isEmpty else { return }
        for day in missing {
            do throws(PostgreSQLStoreError) {
                try await database.writer.perform(under: check) { try self.make(day, $0) }
            } catch {
                guard case .refused = error else { throw error }
            }
        }
        _ = try await database.writer.perform(under: check) { try self.list($0) }
    }
}
