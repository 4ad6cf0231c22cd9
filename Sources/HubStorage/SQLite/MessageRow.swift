import Foundation
import GRDB
import RealtimeHub

/// Messages as rows.
struct MessageRow: StoreRows {
    struct Item: Sendable {
        var message: StoredMessage
        var application: String
    }

    /// How long a message that is not stored is kept, in units of 100 ns.
    let catchUp: UInt64

    func cost(of item: Item) -> Int { item.message.payload.count + (item.message.metadata?.count ?? 0) + 256 }

    func transactionFailed() {}

    static let insertion = """
        INSERT INTO message (application, channel, timetoken, publisher, payload, metadata, kind, custom_type, sequence, origination,
            stored, expires)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// In the order in which `message(of:)` reads them.
    static let columns =
        "timetoken, channel, publisher, payload, metadata, kind, custom_type, sequence, origination, stored, expires"

    func write(_ item: Item, into database: Database) throws {
        let message = item.message
        let expires: UInt64? = message.isStored ? message.expires : min(message.expires ?? .max, message.timetoken + catchUp)
        let statement = try database.cachedStatement(sql: Self.insertion)
        statement.setUncheckedArguments([
            item.application, message.channel, Int64(clamping: message.timetoken), message.publisher, Data(message.payload),
            message.metadata.map { Data($0) }, message.kind, message.customType, message.sequence,
            message.origination.map { Int64(bitPattern: $0) }, message.isStored ? 1 : 0, expires.map { Int64(clamping: $0) },
        ])
        try statement.execute()
    }

    static func message(of row: Row) -> StoredMessage {
        StoredMessage(
            timetoken: UInt64(clamping: row[0] as Int64), channel: row[1], publisher: row[2],
            payload: bytes(row, 3) ?? [], metadata: bytes(row, 4), kind: row[5], customType: row[6], sequence: row[7],
            origination: (row[8] as Int64?).map { UInt64(bitPattern: $0) }, isStored: row[9],
            expires: (row[10] as Int64?).map { UInt64(clamping: $0) })
    }

    /// Without an intermediate `Data`.
    static func bytes(_ row: Row, _ index: Int) -> [UInt8]? {
        (try? row.withUnsafeData(atIndex: index) { $0.map { [UInt8]($0) } }) ?? nil
    }
}
