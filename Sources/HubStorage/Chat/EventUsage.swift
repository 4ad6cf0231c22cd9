import GRDB
import Identifiers
import ServerStorage

/// The number and bytes of the messages in each chat application's histories, by day. Triggers update them in the transaction of each
/// change (rule SO-166).
enum EventUsage {
    static func create(in database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE event_usage (
                    application INTEGER NOT NULL, day INTEGER NOT NULL, messages INTEGER NOT NULL, bytes INTEGER NOT NULL,
                    PRIMARY KEY (application, day)
                ) WITHOUT ROWID
                """)
        try recount(database)
        // No trigger counts new events. Instead `add` counts all new events of a transaction together, which costs less.
        try database.execute(
            sql: """
                CREATE TRIGGER event_removed AFTER DELETE ON event WHEN old.conversation IS NOT NULL BEGIN
                    INSERT INTO event_usage (application, day, messages, bytes)
                    VALUES (old.application, old.id / \(HistoryTrimmer.day), -1, -length(old.body))
                    ON CONFLICT (application, day) DO UPDATE SET messages = messages - 1, bytes = bytes + excluded.bytes;
                END;
                CREATE TRIGGER event_changed AFTER UPDATE ON event WHEN old.conversation IS NOT NULL BEGIN
                    INSERT INTO event_usage (application, day, messages, bytes) VALUES (
                        old.application, old.id / \(HistoryTrimmer.day), (new.conversation IS NOT NULL) - 1,
                        (new.conversation IS NOT NULL) * length(new.body) - length(old.body))
                    ON CONFLICT (application, day)
                        DO UPDATE SET messages = messages + excluded.messages, bytes = bytes + excluded.bytes;
                END;
                """)
    }

    /// Counts all events anew. Needed after something other than a running store has written events, such as a copy or a migration.
    static func recount(_ database: Database) throws {
        try database.execute(sql: "DELETE FROM event_usage")
        try database.execute(
            sql: """
                INSERT INTO event_usage (application, day, messages, bytes)
                SELECT application, id / \(HistoryTrimmer.day), count(*), sum(length(body)) FROM event
                WHERE conversation IS NOT NULL GROUP BY 1, 2
                """)
    }

    /// Adds the numbers and bytes of new events to the counts of their applications and days.
    ///
    /// - Parameter number: returns the row id of the application with the given name.
    static func add(
        _ additions: [HistoryDay: HistoryUsage], into database: Database, number: (String) throws -> Int64
    ) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO event_usage (application, day, messages, bytes) VALUES (?, ?, ?, ?)
                ON CONFLICT (application, day)
                    DO UPDATE SET messages = messages + excluded.messages, bytes = bytes + excluded.bytes
                """)
        for (place, usage) in additions {
            try statement.execute(arguments: [try number(place.application), place.day, usage.messages, usage.bytes])
        }
    }

    /// The number of rows without remaining messages at which these rows are deleted together. The table has one row for each application
    /// and day, and deleting each row on its own would cost a transaction per day.
    static let emptyDays = 1_000

    /// Whether the table has at least ``emptyDays`` rows without remaining messages. The row of an application and day stays in the table
    /// after all messages of that day were deleted.
    static func hasManyEmptyDays(_ database: Database) throws -> Bool {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM event_usage WHERE messages <= 0") ?? 0 >= emptyDays
    }

    static func forgetEmptyDays(_ database: Database) throws {
        try database.execute(sql: "DELETE FROM event_usage WHERE messages <= 0")
    }

    /// For each application, the number and bytes of the messages in its histories, and the lowest possible event id of the oldest day that
    /// has messages.
    static func totals(_ database: Database) throws -> [Identifier: HistoryTrimmer.Total] {
        var totals: [Identifier: HistoryTrimmer.Total] = [:]
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT application.name, sum(messages), sum(bytes), min(day) FROM event_usage
                JOIN application ON application.id = event_usage.application WHERE messages > 0 GROUP BY application.id
                """)
        while let row = try rows.next() {
            totals[Identifier(row[0] as String)] = HistoryTrimmer.Total(
                usage: HistoryUsage(messages: row[1], bytes: row[2]), first: (row[3] as Int64) * HistoryTrimmer.day)
        }
        return totals
    }

    /// The largest number of messages that one call of `trim` removes from histories, and the largest number of events that one call
    /// examines.
    private static let (removed, passed) = (300, 2000)

    /// Removes some of the oldest messages of an application from their histories. Call it within a transaction.
    static func trim(
        _ application: String, _ limits: HistoryLimits, from: Int64, _ database: Database
    ) throws -> HistoryTrimmer.Step {
        let total = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT ifnull(sum(messages), 0), ifnull(sum(bytes), 0), application.id FROM application
                    LEFT JOIN event_usage ON event_usage.application = application.id WHERE application.name = ?
                    """), arguments: [application])
        guard let total, let number = total[2] as Int64? else {
            return HistoryTrimmer.Step(usage: HistoryUsage(), reached: from, isUnfinished: false)
        }
        var usage = HistoryUsage(messages: total[0], bytes: total[1])
        let events = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT id, application = ? AND conversation IS NOT NULL, length(body) FROM event
                    WHERE id >= ? ORDER BY id LIMIT ?
                    """), arguments: [number, from, passed])
        let retirement = try database.cachedStatement(sql: "UPDATE event SET conversation = NULL WHERE id = ?")
        let receipts = try database.cachedStatement(sql: "DELETE FROM receipt WHERE event = ?")
        var reached = from
        for event in events {
            reached = event[0]
            guard UInt64(clamping: reached) < limits.lowest || limits.isExceeded(by: usage) else {
                return HistoryTrimmer.Step(usage: usage, reached: reached, isUnfinished: false)
            }
            guard event[1] as Bool else { continue }
            usage.messages -= 1
            usage.bytes -= event[2] as Int
            usage.removed += 1
            try retirement.execute(arguments: [reached])
            try receipts.execute(arguments: [reached])
            if usage.removed == removed { return HistoryTrimmer.Step(usage: usage, reached: reached, isUnfinished: true) }
        }
        try database.execute(sql: "DELETE FROM event_usage WHERE application = ? AND messages <= 0", arguments: [number])
        return HistoryTrimmer.Step(usage: usage, reached: reached, isUnfinished: events.count == passed)
    }
}
