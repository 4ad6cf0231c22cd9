import NIOConcurrencyHelpers
import ServerStorage
import ServerValues

/// The partitions of the table of messages. They are created ahead, and dropped when all of their messages have expired (rules PG-31, PG-32
/// and PG-34).
final class MessagePartitions: Sendable {
    private struct State: Sendable {
        /// The time span of partitions that will soon be dropped. The expired messages in this span are not deleted one by one.
        var waiting: Range<Int64> = 0..<0
        /// The time of the last round of maintenance, in units of 100 ns; nil before the first round.
        var latest: UInt64?
        /// For each partition of a past day, by name: when its last message expires, and when this was looked up.
        var expiries: [String: (expiry: Int64, asked: UInt64)] = [:]
    }

    /// The time between two rounds of maintenance, in units of 100 ns.
    private static let interval = 60 * TimetokenClock.ticksPerSecond
    /// How long the looked-up expiry of a partition is used before it is looked up again, in units of 100 ns. Looking up each partition in
    /// every round would be slow, because there may be thousands of partitions.
    private static let trust = 3_600 * TimetokenClock.ticksPerSecond

    private let database: PostgresDatabase<MessageStatements>
    private let partitions = PostgresPartitions.messages
    private let state = NIOLockedValueBox(State())

    init(_ database: PostgresDatabase<MessageStatements>) {
        self.database = database
    }

    var windows: PartitionWindows { partitions.windows }

    /// The time span whose expired messages will be dropped together with their partition.
    var waiting: Range<Int64> { state.withLockedValue(\.waiting) }

    /// Creates the missing partitions of today and of the next days.
    ///
    /// - Parameter check: the statement with which each transaction of a cluster's leader begins; nil when one server at a time uses the
    ///   database.
    func prepare(under check: PostgresStatement?, at now: UInt64) async throws(PostgreSQLStoreError) {
        try await partitions.prepare(database, under: check, at: now)
    }

    /// Performs a round of maintenance if one is due: creates partitions, and drops expired ones.
    ///
    /// - Parameter check: the statement with which each transaction of a cluster's leader begins; nil when one server at a time uses the
    ///   database.
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

    /// Whether a partition is known to have a message that expires in more than two days.
    private func isNeeded(_ partition: PostgresPartitions.Partition, at now: UInt64) -> Bool {
        guard let known = state.withLockedValue({ $0.expiries[partition.name] }) else { return false }
        let (soon, isOverflow) = Int64(clamping: now).addingReportingOverflow(2 * HistoryTrimmer.day)
        return known.asked <= now && now - known.asked < Self.trust && !isOverflow && known.expiry > soon
    }

    /// Drops a partition whose messages have all expired.
    ///
    /// - Returns: false when the partition still has messages that have not expired, or when a long read uses the partition. A later round
    ///   then tries again.
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

    /// Deletes expired messages from the default partition, which has the messages of days without a partition of their own. Such days may
    /// be in the span ``waiting``, whose expired messages are otherwise not deleted one by one.
    private func emptyRest(under check: PostgresStatement?, at now: UInt64) async throws(PostgreSQLStoreError) {
        let rest = partitions.rest
        try await database.writer.perform(under: check) { connection in
            let keys = try MessageUsageStatements.keys(
                "SELECT application, channel, timetoken FROM \(rest) WHERE expires <= $1 ORDER BY expires LIMIT 1000",
                [.clamped(now)], from: connection)
            _ = try MessageUsageStatements.delete(keys, connection)
        }
    }

    /// The time when the last message of a partition expires: the largest integer for never, the smallest one for a partition without
    /// messages.
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
