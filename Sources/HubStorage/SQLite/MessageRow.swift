import Foundation
import GRDB
import Identifiers
import ServerStorage

/// Stores messages as rows, and record changes as rows together with the messages that announce them.
struct MessageRow: StoreRows {
    enum Item: Sendable {
        case message(StoredMessage, MessageActionChange?, application: String)
        case records([KeysetRecordChange], [StoredMessage], application: String)
    }

    /// How long a message outside the history is kept for readers that catch up, in units of 100 ns.
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

    func transactionFailed() {}

    static let insertion = """
        INSERT INTO message (application, channel, timetoken, publisher, payload, metadata, kind, custom_type, sequence, origination,
            stored, expires)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// The columns in the order in which `message(of:)` reads them.
    static let columns =
        "timetoken, channel, publisher, payload, metadata, kind, custom_type, sequence, origination, stored, expires"

    func write(_ item: Item, into database: Database) throws {
        switch item {
        case .message(let message, let change, let application):
            try write(message, application, into: database)
            if let change { try ActionRows.write(change, of: message, application: application, into: database) }
        case .records(let changes, let messages, let application):
            for change in changes { try RecordRows.write(change, application: application, into: database) }
            for message in messages { try write(message, application, into: database) }
        }
    }

    func count(_ items: [Item], into database: Database) throws {
        var additions: [HistoryDay: HistoryUsage] = [:]
        for item in items {
            switch item {
            case .message(let message, _, let application):
                if message.isStored {
                    additions.count(application, timetoken: message.timetoken, bytes: message.contentBytes)
                }
            case .records(_, let messages, let application):
                for message in messages where message.isStored {
                    additions.count(application, timetoken: message.timetoken, bytes: message.contentBytes)
                }
            }
        }
        try MessageUsage.add(additions, into: database)
    }

    private func write(_ message: StoredMessage, _ application: String, into database: Database) throws {
        let expires: UInt64? = message.isStored ? message.expires : min(message.expires ?? .max, message.timetoken + catchUp)
        let statement = try database.cachedStatement(sql: Self.insertion)
        statement.setUncheckedArguments([
            application, message.channel.text, Int64(clamping: message.timetoken), Self.value(message.publisher),
            Data(message.payload),
            message.metadata.map { Data($0) }, message.kind, message.customType, message.sequence,
            message.origination.map { Int64(bitPattern: $0) }, message.isStored ? 1 : 0, expires.map { Int64(clamping: $0) },
        ])
        try statement.execute()
    }

    /// A text as a column's value. A text that contains a NUL is stored as a blob, because SQLite would end a TEXT value at the NUL. The
    /// columns that queries search by contain no NUL.
    private static func value(_ text: String?) -> (any DatabaseValueConvertible)? {
        guard let text, text.hasByte(0) else { return text }
        return Data(text.utf8)
    }

    /// Whether stored messages can have this channel: the channel's name must not contain a NUL. SQLite ends a text argument at its first
    /// NUL. A query with such a name would therefore return messages of another channel, which the caller may have no right to read.
    static func canBeName(_ channel: Identifier) -> Bool { !channel.utf8.contains(0) }

    static func message(of row: Row) -> StoredMessage {
        StoredMessage(
            timetoken: UInt64(clamping: row[0] as Int64), channel: Identifier(row[1] as String), publisher: text(row, 2),
            payload: bytes(row, 3) ?? [], metadata: bytes(row, 4), kind: row[5], customType: row[6], sequence: row[7],
            origination: (row[8] as Int64?).map { UInt64(bitPattern: $0) }, isStored: row[9],
            expires: (row[10] as Int64?).map { UInt64(clamping: $0) })
    }

    /// The complete text of a column, including text after a NUL.
    static func text(_ row: Row, _ index: Int) -> String? { bytes(row, index).map { String(decoding: $0, as: UTF8.self) } }

    /// The bytes of a column, copied without an intermediate `Data`; nil for NULL.
    static func bytes(_ row: Row, _ index: Int) -> [UInt8]? {
        (try? row.withUnsafeData(atIndex: index) { $0.map { [UInt8]($0) } }) ?? nil
    }
}
