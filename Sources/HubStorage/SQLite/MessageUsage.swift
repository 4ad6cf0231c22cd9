import GRDB
import Identifiers
import ServerStorage

/// The number and bytes of the messages in each history, by application and day. Triggers update them in the transaction of each change
/// (rule SO-165).
enum MessageUsage {
    private static let size = "length(payload) + ifnull(length(metadata), 0)"

    static func create(in database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE message_usage (
                    application TEXT NOT NULL, day INTEGER NOT NULL, messages INTEGER NOT NULL, bytes INTEGER NOT NULL,
                    PRIMARY KEY (application, day)
                ) WITHOUT ROWID
                """)
        try recount(database)
        // No trigger counts new messages. Instead all new messages of a transaction are counted together, which costs less.
        try database.execute(
            sql: """
                CREATE TRIGGER message_removed AFTER DELETE ON message WHEN old.stored = 1 BEGIN
                    INSERT INTO message_usage (application, day, messages, bytes) VALUES (
                        old.application, old.timetoken / \(HistoryTrimmer.day), -1,
                        -length(old.payload) - ifnull(length(old.metadata), 0))
                    ON CONFLICT (application, day) DO UPDATE SET messages = messages - 1, bytes = bytes + excluded.bytes;
                END
                """)
    }

    /// Counts all messages anew. Needed after something other than a running store has written messages, such as a copy or a migration.
    static func recount(_ database: Database) throws {
        try database.execute(sql: "DELETE FROM message_usage")
        try database.execute(
            sql: """
                INSERT INTO message_usage (application, day, messages, bytes)
                SELECT application, timetoken / \(HistoryTrimmer.day), count(*), sum(\(size)) FROM message WHERE stored = 1
                GROUP BY 1, 2
                """)
    }

    /// Counts new messages.
    static func add(_ additions: [HistoryDay: HistoryUsage], into database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO message_usage (application, day, messages, bytes) VALUES (?, ?, ?, ?)
                ON CONFLICT (application, day)
                    DO UPDATE SET messages = messages + excluded.messages, bytes = bytes + excluded.bytes
                """)
        for (place, usage) in additions {
            try statement.execute(arguments: [place.application, place.day, usage.messages, usage.bytes])
        }
    }

    /// The number of rows without remaining messages at which these rows are deleted together. The table has one row for each application
    /// and day, and deleting each row on its own would cost a transaction per day.
    static let emptyDays = 1_000

    /// Whether the table has at least ``emptyDays`` rows without remaining messages. The row of an application and day stays in the table
    /// after all messages of that day were deleted.
    static func hasManyEmptyDays(_ database: Database) throws -> Bool {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM message_usage WHERE messages <= 0") ?? 0 >= emptyDays
    }

    static func forgetEmptyDays(_ database: Database) throws {
        try database.execute(sql: "DELETE FROM message_usage WHERE messages <= 0")
    }

    /// For each application, the number and bytes of the messages in its histories, and the lowest possible timetoken of the oldest day
    /// that has messages.
    static func totals(_ database: Database) throws -> [Identifier: HistoryTrimmer.Total] {
        var totals: [Identifier: HistoryTrimmer.Total] = [:]
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT application, sum(messages), sum(bytes), min(day) FROM message_usage WHERE messages > 0
                GROUP BY application
                """)
        while let row = try rows.next() {
            totals[Identifier(row[0] as String)] = HistoryTrimmer.Total(
                usage: HistoryUsage(messages: row[1], bytes: row[2]), first: (row[3] as Int64) * HistoryTrimmer.day)
        }
        return totals
    }

    /// The largest number of messages that one call of `trim` deletes, and the largest number of messages that one call examines.
    private static let (deleted, passed) = (300, 2000)

    /// Deletes some of the oldest messages of an application. Call it within a transaction.
    static func trim(
        _ application: String, _ limits: HistoryLimits, from: Int64, _ database: Database
    ) throws -> HistoryTrimmer.Step {
        let total = try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT ifnull(sum(messages), 0), ifnull(sum(bytes), 0) FROM message_usage WHERE application = ?"),
            arguments: [application])
        var usage = HistoryUsage(messages: total?[0] ?? 0, bytes: total?[1] ?? 0)
        let keys = try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT timetoken, application, channel FROM message WHERE timetoken >= ? ORDER BY timetoken LIMIT ?"),
            arguments: [from, passed])
        let lookup = try database.cachedStatement(
            sql: "SELECT stored, \(size) FROM message WHERE application = ? AND channel = ? AND timetoken = ?")
        let deletion = try database.cachedStatement(
            sql: "DELETE FROM message WHERE application = ? AND channel = ? AND timetoken = ?")
        var reached = from
        for key in keys {
            reached = key[0]
            guard UInt64(clamping: reached) < limits.lowest || limits.isExceeded(by: usage) else {
                return HistoryTrimmer.Step(usage: usage, reached: reached, isUnfinished: false)
            }
            guard application.isExactly(key[1] as String) else { continue }
            let place: StatementArguments = [application, key[2] as String, reached]
            guard let row = try Row.fetchOne(lookup, arguments: place), row[0] as Bool else { continue }
            usage.messages -= 1
            usage.bytes -= row[1] as Int
            usage.removed += 1
            try deletion.execute(arguments: place)
            if usage.removed == deleted { return HistoryTrimmer.Step(usage: usage, reached: reached, isUnfinished: true) }
        }
        try database.execute(
            sql: "DELETE FROM message_usage WHERE application = ? AND messages <= 0", arguments: [application])
        return HistoryTrimmer.Step(usage: usage, reached: reached, isUnfinished: keys.count == passed)
    }
}
