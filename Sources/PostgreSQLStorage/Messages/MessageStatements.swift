import Identifiers
import ServerStorage

/// Makes the SQL statements that store messages. The statements for changed records also store the messages that announce the changes.
struct MessageStatements: PostgresItems {
    enum Item: Sendable {
        case message(StoredMessage, MessageActionChange?, application: String)
        case records([KeysetRecordChange], [StoredMessage], application: String)
    }

    /// How long a message outside of the history is kept, in units of 100 ns, for subscribers that catch up.
    let catchUp: UInt64

    func cost(of item: Item) -> Int {
        switch item {
        case .message(let message, .added(let action)?, _), .message(let message, .removed(let action)?, _):
            message.bytes + action.size + 256
        case .message(let message, nil, _): message.bytes + 256
        case .records(let changes, let messages, _):
            changes.reduce(0) { $0 + $1.size + 256 } + messages.reduce(0) { $0 + $1.bytes + 256 }
        }
    }

    func statements(for item: Item) -> [PostgresStatement] {
        switch item {
        case .message(let message, let change, let application):
            [statement(for: message, application)]
                + (change.map { [Self.statement(for: $0, of: message.channel, application)] } ?? [])
        case .records(let changes, let messages, let application):
            changes.map { Self.statement(for: $0, application) } + messages.map { statement(for: $0, application) }
        }
    }

    func counts(of items: [Item]) -> [PostgresStatement] { MessageUsageStatements.additions(items) }

    /// The columns in the order in which `message(of:)` reads them.
    static let columns =
        "timetoken, channel, publisher, payload, metadata, kind, custom_type, sequence, origination, stored, expires"

    private func statement(for message: StoredMessage, _ application: String) -> PostgresStatement {
        let limit = message.timetoken.addingReportingOverflow(catchUp)
        let expires: UInt64? =
            message.isStored ? message.expires : min(message.expires ?? .max, limit.overflow ? .max : limit.partialValue)
        return PostgresStatement(
            """
            INSERT INTO message (application, timetoken, channel, publisher, payload, metadata, kind, custom_type, sequence, origination,
                stored, expires)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::int8 <> 0, $12)
            """,
            [
                .text(application), .clamped(message.timetoken), .name(message.channel), .text(message.publisher),
                .bytes(message.payload), .bytes(message.metadata), .integer(Int64(message.kind)), .text(message.customType),
                .integer(message.sequence.map { Int64($0) }), .bits(message.origination), .integer(message.isStored ? 1 : 0),
                .clamped(expires),
            ])
    }

    static func message(of rows: PostgresRows, _ row: Int) -> StoredMessage {
        StoredMessage(
            timetoken: UInt64(clamping: rows.integer(row, 0) ?? 0), channel: rows.name(row, 1) ?? "",
            publisher: rows.text(row, 2),
            payload: rows.bytes(row, 3) ?? [], metadata: rows.bytes(row, 4), kind: Int(clamping: rows.integer(row, 5) ?? 0),
            customType: rows.text(row, 6), sequence: rows.integer(row, 7).map { Int(clamping: $0) },
            origination: rows.integer(row, 8).map { UInt64(bitPattern: $0) }, isStored: rows.integer(row, 9) != 0,
            expires: rows.integer(row, 10).map { UInt64(clamping: $0) })
    }

    private static func statement(
        for change: MessageActionChange, of channel: Identifier, _ application: String
    ) -> PostgresStatement {
        switch change {
        case .added(let action):
            PostgresStatement(
                """
                INSERT INTO message_action (application, channel, timetoken, message, type, value, author)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                """,
                [
                    .text(application), .name(channel), .clamped(action.timetoken), .bits(action.message), .text(action.type),
                    .text(action.value), .text(action.user),
                ])
        case .removed(let action): removal(of: action, of: channel, application)
        }
    }

    static func removal(of action: MessageAction, of channel: Identifier, _ application: String) -> PostgresStatement {
        PostgresStatement(
            "DELETE FROM message_action WHERE application = $1 AND channel = $2 AND timetoken = $3",
            [.text(application), .name(channel), .clamped(action.timetoken)])
    }

    private static func statement(for change: KeysetRecordChange, _ application: String) -> PostgresStatement {
        switch change {
        case .put(let record):
            PostgresStatement(
                """
                INSERT INTO record (application, kind, name, value) VALUES ($1, $2, $3, $4)
                ON CONFLICT (application, kind, name) DO UPDATE SET value = excluded.value
                """,
                [
                    .text(application), .integer(Int64(record.key.kind.rawValue)), .bytes(record.key.name),
                    .bytes(record.value),
                ])
        case .remove(let key):
            PostgresStatement(
                "DELETE FROM record WHERE application = $1 AND kind = $2 AND name = $3",
                [.text(application), .integer(Int64(key.kind.rawValue)), .bytes(key.name)])
        }
    }
}

/// SQL statements for entries of the access manager.
enum AccessStatements {
    private static let condition = "application = $1 AND kind = $2 AND name = $3 AND holder IS NOT DISTINCT FROM $4"

    /// Writes an entry. If there is an entry with the same key, the new entry replaces it, and takes its place in the order in which
    /// entries are restored.
    static func save(_ entry: AccessEntry, _ application: String) -> [PostgresStatement] {
        let values =
            key(entry.key, application) + [
                .integer(Int64(entry.rights)), .integer(Int64(entry.ttl)), .integer(entry.expires.map { Int64($0) }),
            ]
        return [
            PostgresStatement("UPDATE access SET rights = $5, ttl = $6, expires = $7 WHERE \(condition)", values),
            PostgresStatement(
                """
                INSERT INTO access (application, kind, name, holder, rights, ttl, expires) SELECT $1, $2, $3, $4, $5, $6, $7
                WHERE NOT EXISTS (SELECT 1 FROM access WHERE \(condition))
                """, values),
        ]
    }

    static func remove(_ key: AccessEntry.Key, _ application: String) -> PostgresStatement {
        PostgresStatement("DELETE FROM access WHERE \(condition)", self.key(key, application))
    }

    private static func key(_ key: AccessEntry.Key, _ application: String) -> [PostgresValue] {
        [.text(application), .integer(Int64(key.kind.rawValue)), .name(key.name), .name(key.holder)]
    }
}
