import Identifiers
import ServerStorage

/// SQL statements that count the messages in the histories of chat applications.
enum EventUsageStatements {
    static let usage = UsageStatements(table: "event_usage")

    private static let day = "id / \(HistoryTrimmer.day)"

    /// Counts all messages, and replaces the counts of days that were counted before.
    static let recount = """
        INSERT INTO event_usage (application, day, messages, bytes)
        SELECT application, \(day), count(*), sum(octet_length(body))::int8 FROM event WHERE conversation IS NOT NULL GROUP BY 1, 2
        ON CONFLICT (application, day) DO UPDATE SET messages = excluded.messages, bytes = excluded.bytes
        """

    /// Counts new messages.
    static func additions(_ items: [ChatStatements.Item]) -> [PostgresStatement] {
        var counted: [HistoryDay: HistoryUsage] = [:]
        for item in items {
            for event in item.commit.additions.map(\.event) where event.conversation != nil {
                counted.count(item.application, timetoken: event.id, bytes: event.body.count)
            }
        }
        return usage.additions(counted)
    }

    /// Replaces the body of the message `$1` of the application `$2` by `$3`.
    static let rewrite = """
        WITH former AS MATERIALIZED (
            SELECT octet_length(body) AS size, conversation FROM event WHERE id = $1 AND application = $2
        ), changed AS (UPDATE event SET body = $3 WHERE id = $1 AND application = $2)
        UPDATE event_usage SET bytes = event_usage.bytes + octet_length($3::bytea) - former.size FROM former
        WHERE former.conversation IS NOT NULL AND event_usage.application = $2 AND event_usage.day = $1::int8 / \(HistoryTrimmer.day)
        """

    /// Removes the message `$1` of the application `$2` from its history.
    static let recall = """
        WITH gone AS (
            UPDATE event SET conversation = NULL WHERE id = $1 AND application = $2 AND conversation IS NOT NULL
            RETURNING application, \(day) AS day, octet_length(body) AS size
        ), \(usage.removals) SELECT count(*) FROM gone
        """

    /// Deletes the events `$1`, and subtracts those that were in a history from the counts.
    static let deletion = """
        WITH gone AS (
            DELETE FROM event WHERE id = ANY ($1)
            RETURNING application, \(day) AS day, CASE WHEN conversation IS NOT NULL THEN octet_length(body) END AS size
        ), \(usage.removals) SELECT count(*) FROM gone
        """

    /// Removes some of the oldest messages of an application from their histories. Call it within a transaction.
    static func trim(
        _ application: Identifier, _ limits: HistoryLimits, from: Int64, _ connection: PostgresConnection
    ) throws -> HistoryTrimmer.Step {
        try usage.trim(
            application, limits, from: from,
            rows: """
                SELECT id AS place, octet_length(body) AS size FROM event
                WHERE application = $1 AND conversation IS NOT NULL AND id >= $2 AND id < $8 ORDER BY id LIMIT $3
                """,
            deletion: """
                UPDATE event SET conversation = NULL FROM due
                WHERE event.id = due.place AND event.id >= $2 AND event.id < $8
                RETURNING event.application, event.id / \(HistoryTrimmer.day) AS day, due.size AS size
                """, besides: "receipts_gone AS (DELETE FROM receipt USING due WHERE receipt.event = due.place),", connection)
    }
}
