import Identifiers
import ServerStorage

/// How much the histories of keysets have.
enum MessageUsageStatements {
    static let usage = UsageStatements(table: "message_usage")

    /// The size of a row for ``HistoryUsage/bytes``.
    static let size = "octet_length(payload) + coalesce(octet_length(metadata), 0)"
    private static let day = "timetoken / \(HistoryTrimmer.day)"

    /// Counts all messages; the counts of days that are known already are replaced.
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

    /// A statement that deletes messages and counts them, and returns how many there were.
    ///
    /// - Parameter due: a query of the columns `application`, `channel` and `timetoken`.
    static func deletion(of due: String) -> String {
        """
        WITH due AS MATERIALIZED (\(due)), gone AS (\(deletion)), \(usage.removals) SELECT count(*) FROM gone
        """
    }

    private static let deletion = """
        DELETE FROM message USING due
        WHERE message.application = due.application AND message.channel = due.channel AND message.timetoken = due.timetoken
        RETURNING message.application, message.timetoken / \(HistoryTrimmer.day) AS day,
            CASE WHEN stored THEN octet_length(payload) + coalesce(octet_length(metadata), 0) END AS size
        """

    /// Deletes some of the oldest messages of an application, within a transaction.
    static func trim(
        _ application: Identifier, _ limits: HistoryLimits, from: Int64, _ connection: PostgresConnection
    ) throws -> HistoryTrimmer.Step {
        try usage.trim(
            application, limits, from: from,
            rows: """
                SELECT application, channel, timetoken, timetoken AS place, application = $1 AND stored AS own, \(size) AS size
                FROM message WHERE timetoken >= $2 ORDER BY timetoken LIMIT $3
                """,
            deletion: """
                DELETE FROM message USING due
                WHERE message.application = $1 AND message.channel = due.channel AND message.timetoken = due.timetoken
                RETURNING message.application, message.timetoken / \(HistoryTrimmer.day) AS day, due.size AS size
                """, connection)
    }
}
