import NIOConcurrencyHelpers
import ServerStorage
import ServerValues

/// The partitions of messages: made ahead, and dropped when all of their messages have expired (rules PG-31, PG-32 and PG-34).
final class MessagePartitions: Sendable {
    private struct State: Sendable {
        /// The span of partitions that will soon be dropped. Their expired messages are not deleted one by one.
        var waiting: Range<Int64> = 0..<0
        /// When the partitions were looked at for the last time, in units of 100 ns.
        var latest: UInt64?
        /// When the last message of a past day expires, and when that was looked up, by the name of the partition.
        var expiries: [String: (expiry: Int64, asked: UInt64)] = [:]
    }

    /// The time between two rounds.
    private static let interval = 60 * TimetokenClock.ticksPerSecond
    /// How long it is known that a partition is needed for two more days: there may be thousands of them.
    private static let trust = 3_600 * TimetokenClock.ticksPerSecond

    private let database: PostgresDatabase<MessageStatements>
    private let partitions = PostgresPartitions.messages
    private let state = NIOLockedValueBox(State())

    init(_ database: PostgresDatabase<MessageStatements>) {
        self.database = database
    }

    var windows: PartitionWindows { partitions.windows }

    /// Expired messages in this span go with their partition.
    var waiting: Range<Int64> { state.withLockedValue(\.waiting) }

    /// - Parameter check: what every transaction begins with; nil when one server at a time uses the database.
    func prepare(under check: PostgresStatement?, at now: UInt64) async throws(PostgreSQLStoreError) {
        try await partitions.prepare(database, under: check, at: now)
    }

    /// Does a round if one is due.
    ///
    /// - Parameter check: what every transaction begins with; nil when one server at a time uses the database.
    func maintain(
        at now: UInt64, under check: PostgresStatement?, isForced: Bool = false
    ) async throws(PostgreSQLStoreError) {
        let isDue = state.withLockedValue { state in
            guard let latest = state.latest, !isForced, latest <= now, now - latest < Self.interval else {
                state.latest = now
                return true
            }
            return false
        }
        guard isDue else { return }
        try await prepare(under: check, at: now)
        let partitions = partitions
        let all = try await database.read { try partitions.list($0) }
        var waiting: Range<Int64> = 0..<0
        for partition in all where partition.upper <= Int64(clamping: now) {
            guard isForced || !isNeeded(partition, at: now) else { continue }
            let expiry = try await database.read { try Self.expiry(of: partition, $0) }
            state.withLockedValue { $0.expiries[partition.name] = (expiry, now) }
            if expiry <= Int64(clamping: now), try await drop(partition, under: check, at: now) { continue }
            guard expiry <= Int64(clamping: now.addingReportingOverflow(UInt64(HistoryTrimmer.day)).partialValue) else {
                continue
            }
            if waiting.isEmpty {
                waiting = partition.lower..<partition.upper
            } else if waiting.upperBound == partition.lower {
                waiting = waiting.lowerBound..<partition.upper
            }
        }
        _ = try await database.read { try partitions.list($0) }
        let names = Set(all.map(\.name))
        state.withLockedValue { [waiting] state in
            state.waiting = waiting
            state.expiries = state.expiries.filter { names.contains($0.key) }
        }
        try await emptyRest(under: check, at: now)
    }

    /// Whether it is known that a partition has messages for more than the next two days.
    private func isNeeded(_ partition: PostgresPartitions.Partition, at now: UInt64) -> Bool {
        guard let known = state.withLockedValue({ $0.expiries[partition.name] }) else { return false }
        let (soon, isOverflow) = Int64(clamping: now).addingReportingOverflow(2 * HistoryTrimmer.day)
        return known.asked <= now && now - known.asked < Self.trust && !isOverflow && known.expiry > soon
    }

    /// Drops a partition whose messages have all expired.
    ///
    /// - Returns: false when it has others, or when it is being read for so long that a later round tries again.
    private func drop(
        _ partition: PostgresPartitions.Partition, under check: PostgresStatement?, at now: UInt64
    ) async throws(PostgreSQLStoreError) -> Bool {
        let partitions = partitions
        do throws(PostgreSQLStoreError) {
            return try await database.writer.perform(under: check) { connection in
                try partitions.drop(
                    partition, if: Self.isOver(partition, now), usage: MessageUsageStatements.usage, connection)
            }
        } catch {
            guard case .refused = error else { throw error }
            return false
        }
    }

    /// Deletes expired messages of days that have no partition, which may be those of a span that waits.
    private func emptyRest(under check: PostgresStatement?, at now: UInt64) async throws(PostgreSQLStoreError) {
        let rest = partitions.rest
        try await database.writer.perform(under: check) { connection in
            let keys = try MessageUsageStatements.keys(
                "SELECT application, channel, timetoken FROM \(rest) WHERE expires <= $1 ORDER BY expires LIMIT 1000",
                [.clamped(now)], connection)
            _ = try MessageUsageStatements.delete(keys, connection)
        }
    }

    /// When the last message of a partition expires; the largest integer for never, the least one for a partition without messages.
    private static func expiry(of partition: PostgresPartitions.Partition, _ connection: PostgresConnection) throws -> Int64 {
        let row = try connection.fetch(
            """
            SELECT EXISTS (SELECT 1 FROM \(partition.name) WHERE expires IS NULL), (SELECT max(expires) FROM \(partition.name))
            """)
        return row.integer(0, 0) == 1 ? .max : row.integer(0, 1) ?? .min
    }

    private static func isOver(_ partition: PostgresPartitions.Partition, _ now: UInt64) -> String {
        "NOT EXISTS (SELECT 1 FROM \(partition.name) WHERE expires IS NULL OR expires > \(Int64(clamping: now)))"
    }
}
