import Identifiers
import ServerStorage

/// SQL statements that count the messages in the histories of keysets.
enum MessageUsageStatements {
    static let usage = UsageStatements(table: "message_usage")

    /// The size of a message's row in bytes, for ``HistoryUsage/bytes``.
    static let size = "octet_length(payload) + coalesce(octet_length(metadata), 0)"
    private static let day = "timetoken / \(HistoryTrimmer.day)"

    /// Counts all messages, and replaces the counts of days that were counted before.
    static let recount = """
        INSERT INTO message_usage (application, day, messages, bytes)
        SELECT application, \(day), count(*), sum(\(size))::int8 FROM message WHERE stored GROUP BY 1, 2
        ON CONFLICT (application, day) DO UPDATE SET messages = excluded.messages, bytes = excluded.bytes
        """

    /// Counts new messages.
    static func additions(_ items: [MessageStatements.Item]) -> [PostgresStatement] {
        var counted: [HistoryDay: HistoryUsage] = [:]
        for item in items {
            let (messages, application) =
                switch item {
                case .message(let message, _, let application): ([message], application)
                case .records(_, let messages, let application): (messages, application)
                }
            for message in messages where message.isStored {
                counted.count(application, timetoken: message.timetoken, bytes: message.contentBytes)
            }
        }
        return usage.additions(counted)
    }

    /// The columns that identify a message.
    struct Key: Hashable, Sendable {
        var application: [UInt8]
        var channel: [UInt8]
        var timetoken: Int64

        /// The day of the message, as the number of days since 1970.
        var day: Int64 { timetoken / HistoryTrimmer.day }
    }

    /// The keys of the messages that a query finds. The query has the columns `application`, `channel` and `timetoken`.
    static func keys(_ sql: String, _ values: [PostgresValue], from connection: PostgresConnection) throws -> [Key] {
        let rows = try connection.run(sql, values)
        return (0..<rows.count).map { row in
            Key(
                application: rows.bytes(row, 0) ?? [], channel: rows.bytes(row, 1) ?? [], timetoken: rows.integer(row, 2) ?? 0)
        }
    }

    /// Deletes messages and subtracts them from the counts. Call it within a transaction. It performs one statement for the messages of
    /// each day, so that each statement uses one partition only.
    ///
    /// - Returns: the number of deleted messages.
    static func delete(_ keys: [Key], _ connection: PostgresConnection) throws -> Int {
        var count = 0
        for (_, keys) in Dictionary(grouping: keys, by: \.day).sorted(by: { $0.key < $1.key }) {
            let times = keys.map(\.timetoken)
            let deleted = try connection.run(
                deletion,
                [
                    .byteArrays(keys.map(\.application)), .byteArrays(keys.map(\.channel)), .integers(times),
                    .integer(times.min()), .integer(times.max()),
                ])
            count += Int(clamping: deleted.integer(0, 0) ?? 0)
        }
        return count
    }

    private static let deletion = """
        WITH due AS (SELECT * FROM unnest($1, $2, $3) AS due (application, channel, timetoken)),
        gone AS (
            DELETE FROM message USING due
            WHERE message.application = due.application AND message.channel = due.channel
                AND message.timetoken = due.timetoken AND message.timetoken BETWEEN $4 AND $5
            RETURNING message.application, message.timetoken / \(HistoryTrimmer.day) AS day,
                CASE WHEN stored THEN octet_length(payload) + coalesce(octet_length(metadata), 0) END AS size
        ),
        \(usage.removals) SELECT count(*) FROM gone
        """

    /// Deletes some of the oldest messages of an application. Call it within a transaction.
    static func trim(
        _ application: Identifier, _ limits: HistoryLimits, from: Int64, _ connection: PostgresConnection
    ) throws -> HistoryTrimmer.Step {
        try usage.trim(
            application, limits, from: from,
            rows: """
                SELECT channel, timetoken AS place, \(size) AS size FROM message
                WHERE application = $1 AND stored AND timetoken >= $2 AND timetoken < $8 ORDER BY timetoken LIMIT $3
                """,
            deletion: """
                DELETE FROM message USING due
                WHERE message.application = $1 AND message.channel = due.channel AND message.timetoken = due.place
                    AND message.timetoken >= $2 AND message.timetoken < $8
                RETURNING message.application, message.timetoken / \(HistoryTrimmer.day) AS day, due.size AS size
                """, connection)
    }
}
