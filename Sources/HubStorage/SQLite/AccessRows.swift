import Foundation
import GRDB
import Identifiers
import ServerStorage

/// Stores access manager entries as rows. Names are stored as blobs, because a TEXT value would end at a NUL.
enum AccessRows {
    private static let condition = "application = ? AND kind = ? AND name = ? AND holder IS ?"

    /// Saves an entry. If the entry replaces one with the same key, it keeps the replaced entry's place in the order in which entries are
    /// restored.
    static func save(_ entry: AccessEntry, application: String, into database: Database) throws {
        let key = arguments(entry.key, application)
        let values: StatementArguments = [entry.rights, entry.ttl, entry.expires]
        try database.cachedStatement(sql: "UPDATE access SET rights = ?, ttl = ?, expires = ? WHERE \(condition)")
            .execute(arguments: values + key)
        guard database.changesCount == 0 else { return }
        try database.cachedStatement(
            sql: "INSERT INTO access (application, kind, name, holder, rights, ttl, expires) VALUES (?, ?, ?, ?, ?, ?, ?)"
        ).execute(arguments: key + values)
    }

    static func remove(_ key: AccessEntry.Key, application: String, from database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM access WHERE \(condition)").execute(arguments: arguments(key, application))
    }

    private static func arguments(_ key: AccessEntry.Key, _ application: String) -> StatementArguments {
        [application, key.kind.rawValue, Data(key.name.utf8), key.holder.map { Data($0.utf8) }]
    }

    /// The entries that are valid at `now` (seconds since 1970), by application.
    static func restore(_ filter: ApplicationFilter, at now: Int, from database: Database) throws -> [Identifier: [AccessEntry]] {
        var found: [Identifier: [AccessEntry]] = [:]
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT application, kind, name, holder, rights, ttl, expires FROM access
                WHERE (expires IS NULL OR expires > ?) AND \(filter.condition) ORDER BY id
                """, arguments: [now] + filter.arguments)
        while let row = try rows.next() {
            guard let kind = AccessEntry.Key.Kind(rawValue: row[1]) else { continue }
            let key = AccessEntry.Key(
                kind, Identifier(MessageRow.text(row, 2) ?? ""), holder: MessageRow.text(row, 3).map { Identifier($0) })
            found[Identifier(row[0] as String), default: []].append(
                AccessEntry(key, rights: row[4], ttl: row[5], expires: row[6]))
        }
        return found
    }
}
