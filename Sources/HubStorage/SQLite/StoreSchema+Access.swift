import Foundation
import GRDB
import Identifiers
import ServerStorage

extension StoreSchema {
    static func createAccess(_ database: Database) throws {
        // `holder` is the auth key of a grant, or NULL for a grant to everybody; `expires` is in seconds since 1970.
        try database.execute(
            sql: """
                CREATE TABLE access (
                    id INTEGER PRIMARY KEY, application TEXT NOT NULL, kind INTEGER NOT NULL, name BLOB NOT NULL, holder BLOB,
                    rights INTEGER NOT NULL, ttl INTEGER NOT NULL, expires INTEGER
                )
                """)
        try database.execute(sql: "CREATE INDEX access_key ON access (application, kind, name, holder)")
        try database.execute(sql: "CREATE INDEX access_expires ON access (expires) WHERE expires IS NOT NULL")
    }
}

/// Reads grants and revocations in the format of the first version of the database: JSON in messages of the application `access:KEY`.
enum AccessJournal {
    private static let prefix = "access:"

    private struct Entry: Decodable {
        var on: String?
        var name: String?
        var auth: String?
        var rights: Int?
        var ttl: Int?
        var until: Int?
        /// The signature of a revoked token; nil in the entry of a grant.
        var revoked: [UInt8]?

        /// The entry in the current form; nil when this version cannot decode it.
        var entry: AccessEntry? {
            if let revoked, let until {
                let signature = revoked.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                return AccessEntry(.init(.revokedToken, Identifier(signature)), expires: until)
            }
            let kinds: KeyValuePairs<String, AccessEntry.Key.Kind> = [
                "everything": .everything, "channel": .channel, "group": .group, "user": .user,
            ]
            guard let kind = kinds.first(where: { $0.key == on })?.value, let rights, let ttl else { return nil }
            let key = AccessEntry.Key(kind, Identifier(name ?? ""), holder: auth.map { Identifier($0) })
            return AccessEntry(key, rights: rights, ttl: ttl, expires: until)
        }
    }

    /// Moves the entries into the table `access`. A later entry replaces an earlier one with the same key.
    static func move(in database: Database) throws {
        let isJournal = "substr(application, 1, \(prefix.utf8.count)) = '\(prefix)' AND channel = 'journal'"
        let rows = try Row.fetchCursor(
            database, sql: "SELECT application, payload FROM message WHERE \(isJournal) ORDER BY timetoken")
        while let row = try rows.next() {
            let application = String((row[0] as String).dropFirst(prefix.count))
            for item in (try? JSONDecoder().decode([Entry].self, from: row[1] as Data)) ?? [] {
                if let entry = item.entry { try AccessRows.save(entry, application: application, into: database) }
            }
        }
        try database.execute(sql: "DELETE FROM message WHERE \(isJournal)")
    }
}
