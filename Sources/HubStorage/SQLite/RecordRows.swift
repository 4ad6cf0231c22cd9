import Foundation
import GRDB
import Identifiers
import ServerStorage

/// Stores the records of PubNub applications (such as metadata, memberships and files) as rows. Names are stored as blobs, because a TEXT
/// value would end at a NUL.
enum RecordRows {
    static func create(in database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE record (
                    application TEXT NOT NULL, kind INTEGER NOT NULL, name BLOB NOT NULL, value BLOB NOT NULL,
                    PRIMARY KEY (application, kind, name)
                )
                """)
    }

    static func write(_ change: KeysetRecordChange, application: String, into database: Database) throws {
        switch change {
        case .put(let record):
            try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO record (application, kind, name, value) VALUES (?, ?, ?, ?)"
            ).execute(arguments: [application, record.key.kind.rawValue, Data(record.key.name), Data(record.value)])
        case .remove(let key):
            try database.cachedStatement(sql: "DELETE FROM record WHERE application = ? AND kind = ? AND name = ?")
                .execute(arguments: [application, key.kind.rawValue, Data(key.name)])
        }
    }

    /// Reads the stored records, such as metadata and memberships, by application.
    static func restore(_ filter: ApplicationFilter, from database: Database) throws -> [Identifier: [KeysetRecord]] {
        var found: [Identifier: [KeysetRecord]] = [:]
        let rows = try Row.fetchCursor(
            database, sql: "SELECT application, kind, name, value FROM record WHERE \(filter.condition)",
            arguments: filter.arguments)
        while let row = try rows.next() {
            guard let kind = KeysetRecord.Key.Kind(rawValue: row[1]) else { continue }
            found[Identifier(row[0] as String), default: []].append(
                KeysetRecord(.init(kind, MessageRow.bytes(row, 2) ?? []), MessageRow.bytes(row, 3) ?? []))
        }
        return found
    }
}
