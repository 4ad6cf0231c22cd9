import GRDB
import Lifeline

/// Writes messages of an outbox to rows of the table `entry`, and reads them.
enum OutboxRows {
    static func apply(_ change: OutboxChange, to database: Database) throws {
        switch change {
        case .insert(let record):
            try database.cachedStatement(
                sql: """
                    INSERT INTO entry (
                        place, enqueued, lifetime, state, first_sent, code, reason, number, id, channel, event, json, is_stored
                    ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(
                arguments: progress(of: record) + [record.id, record.channel, record.event, record.json, record.isStored])
        case .update(let record):
            try database.cachedStatement(
                sql: """
                    UPDATE entry SET place = ?, enqueued = ?, lifetime = ?, state = ?, first_sent = ?, code = ?, reason = ?, number = ?
                    WHERE id = ?
                    """
            ).execute(arguments: progress(of: record) + [record.id])
        case .remove(let id):
            try database.cachedStatement(sql: "DELETE FROM entry WHERE id = ?").execute(arguments: [id])
        }
    }

    /// The values of the columns that may change while a message is in the outbox, such as its state and its last error.
    private static func progress(of record: OutboxRecord) -> StatementArguments {
        [
            record.order, record.enqueued, record.lifetime, record.state.rawValue, record.firstSent, record.error?.code.rawValue,
            record.error?.reason, record.error?.number,
        ]
    }

    /// All stored messages, in the order of their column `place`.
    @Sendable static func all(_ database: Database) throws -> [OutboxRecord] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT id, place, channel, event, json, is_stored, enqueued, lifetime, state, first_sent, code, reason, number FROM entry
                ORDER BY place
                """
        ).map(record)
    }

    private static func record(_ row: Row) -> OutboxRecord {
        var record = OutboxRecord(
            id: row[0], order: row[1], channel: row[2], event: row[3], json: row[4], isStored: row[5], enqueued: row[6],
            lifetime: row[7])
        // If this version does not define the stored state, the outcome of the message counts as unknown.
        record.state = OutboxRecord.State(rawValue: row[8]) ?? .unknown
        record.firstSent = row[9]
        if let code: String = row[10] {
            record.error = LifelineError(LifelineError.Code(rawValue: code), row[11] ?? "", number: row[12])
        }
        return record
    }
}
