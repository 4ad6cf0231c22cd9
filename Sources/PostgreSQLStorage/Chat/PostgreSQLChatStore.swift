import Foundation
import Identifiers
import ServerStorage
import ServerValues

/// Stores chat durably in a PostgreSQL database, beside the tables of the message store (rules PG-2 to PG-15).
///
/// One connection writes, and several read concurrently. Each has a thread of its own.
public final class PostgreSQLChatStore: ChatStore {
    let database: PostgresDatabase<ChatStatements>
    let trimmer = HistoryTrimmer()
    let partitions = PostgresPartitions.events
    private let settings: PostgreSQLSettings
    let now: @Sendable () -> UInt64
    /// The statement with which each transaction of a cluster's leader begins; nil when one server at a time uses the database.
    let check: PostgresStatement?
    let purges: Bool

    private init(
        _ database: PostgresDatabase<ChatStatements>, _ settings: PostgreSQLSettings, check: PostgresStatement? = nil,
        purges: Bool = true, now: @escaping @Sendable () -> UInt64
    ) {
        self.check = check
        self.purges = purges
        self.database = database
        self.settings = settings
        self.now = now
    }

    /// Connects, and creates the tables or migrates them to this version.
    ///
    /// - Parameters:
    ///   - settings: the address of the database, and the limits of the stored data.
    ///   - now: the current time in units of 100 ns, which determines which messages were sent recently.
    /// - Throws: the reason why the database cannot be used.
    public static func open(
        _ settings: PostgreSQLSettings, now: @escaping @Sendable () -> UInt64 = systemTicks
    ) async throws(PostgreSQLStoreError) -> PostgreSQLChatStore {
        let database = try await PostgresDatabase.open(
            settings, part: ChatTables.part, migrations: ChatTables.migrations,
            items: ChatStatements(inboxEntries: settings.inboxEntries))
        let epoch = String(UInt64.random(in: 1 << 40 ... .max), radix: 36)
        do {
            try await database.writer.perform { connection in
                _ = try connection.run(
                    "UPDATE store SET epoch = $2 WHERE part = $1 AND epoch IS NULL", [.text(ChatTables.part), .text(epoch)])
            }
        } catch {
            await database.close()
            throw error
        }
        let store = PostgreSQLChatStore(database, settings, now: now)
        do {
            // A server without a cluster creates the partitions of the tables here. In a cluster, the leader of the cluster's partition 0
            // creates them.
            if settings.cluster == nil { try await store.partitions.prepare(database, under: nil, at: now()) }
        } catch {
            await database.close()
            throw error
        }
        return store
    }

    /// Makes the store for a leader's term in a cluster. The new store uses the connections of this store.
    ///
    /// - Parameter purges: whether the new store deletes old events. The store of one of the cluster's leaders deletes them for all
    ///   leaders.
    func begin(_ term: LeaderTerm, purges: Bool) async throws(PostgreSQLStoreError) -> PostgreSQLChatStore {
        PostgreSQLChatStore(database, settings, check: try await database.begin(term), purges: purges, now: now)
    }

    /// The reason why the database cannot be used at present; nil while no reason is known.
    public var failure: PostgreSQLStoreError? { database.failure }

    public func commit(_ commit: ChatCommit, application: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        let encoder = JSONEncoder()
        do {
            let documents = try commit.documents.map { [UInt8](try encoder.encode($0)) }
            database.writer.append(
                .init(commit: commit, application: application, documents: documents), under: check, completion: completion)
        } catch {
            database.writer.refuse(PostgreSQLStoreError(error), completion: completion)
        }
    }

    public func reserve(idsUpTo limit: UInt64) async throws { try await database.reserve(limit, under: check) }

    public func close() async {
        // A leader's store, which has a `check`, leaves the connections open: they belong to the shared store, which closes them itself.
        if check == nil { await database.close() }
    }
}

// MARK: - Reading

extension PostgreSQLChatStore {
    public func inbox(
        of user: Identifier, after sequence: UInt64, limit: Int, application: String
    ) async throws -> [ChatInboxEntry] {
        guard limit > 0 else { return [] }
        return try await database.read { connection in
            let rows = try connection.run(
                """
                SELECT sequence, body FROM inbox_entry JOIN event ON event.id = inbox_entry.event
                WHERE inbox_entry.application = $1 AND name = $2 AND sequence > $3 ORDER BY sequence LIMIT $4
                """, [.text(application), .name(user), .clamped(sequence), .integer(Int64(limit))])
            return (0..<rows.count).map { row in
                ChatInboxEntry(sequence: UInt64(clamping: rows.integer(row, 0) ?? 0), body: rows.bytes(row, 1) ?? [])
            }
        }
    }

    public func history(_ query: ChatHistoryQuery, application: String) async throws -> [ChatEvent] {
        guard query.limit > 0 else { return [] }
        let visible = """
            AND id > coalesce((
                SELECT event FROM hidden_up_to WHERE application = $1 AND conversation = $2 AND hidden_up_to.name = $6), 0)
            AND NOT EXISTS (SELECT 1 FROM hidden WHERE hidden.event = event.id AND name = $6)
            AND (NOT EXISTS (SELECT 1 FROM reader WHERE reader.event = event.id)
                 OR EXISTS (SELECT 1 FROM reader WHERE reader.event = event.id AND name = $6))
            """
        let (after, before) = (Int64(clamping: query.after ?? 0), Int64(clamping: query.before ?? .max))
        guard after < before, before > 0 else { return [] }
        let spans = partitions.windows.spans(after + 1, before - 1, isOldestFirst: query.isOldestFirst)
        let sql = """
            SELECT id, sender, client_id, audience, body FROM event
            WHERE application = $1 AND conversation = $2 AND id BETWEEN $3 AND $4 \(query.viewer == nil ? "" : visible)
            ORDER BY id \(query.isOldestFirst ? "ASC" : "DESC") LIMIT $5
            """
        return try await database.read { connection in
            var page: [ChatEvent] = []
            for span in spans where page.count < query.limit {
                var values: [PostgresValue] = [
                    .text(application), .name(query.conversation), .integer(span.lowerBound), .integer(span.upperBound),
                    .integer(Int64(query.limit - page.count)),
                ]
                if let viewer = query.viewer { values.append(.name(viewer)) }
                let rows = try connection.run(sql, values)
                page += (0..<rows.count).map { Self.event(of: rows, $0, in: query.conversation) }
            }
            return page
        }
    }

    public func event(_ id: UInt64, in conversation: Identifier, application: String) async throws -> ChatEvent? {
        try await database.read { connection in
            let rows = try connection.run(
                """
                SELECT id, sender, client_id, audience, body, EXISTS (SELECT 1 FROM reader WHERE reader.event = event.id)
                FROM event WHERE id = $3 AND application = $1 AND conversation = $2
                """, [.text(application), .name(conversation), .clamped(id)])
            guard rows.count > 0 else { return nil }
            var event = Self.event(of: rows, 0, in: conversation)
            guard rows.integer(0, 5) == 1 else { return event }
            let readers = try connection.run("SELECT name FROM reader WHERE event = $1", [.clamped(id)])
            event.readers = (0..<readers.count).compactMap { readers.name($0, 0) }
            return event
        }
    }

    public func receipts(of ids: [UInt64], application: String) async throws -> [UInt64: [ChatReceipt]] {
        try await database.read { connection in
            let rows = try connection.run(
                """
                SELECT receipt.event, receipt.reader, receipt.time FROM receipt JOIN event ON event.id = receipt.event
                WHERE receipt.event = ANY ($2) AND event.application = $1 ORDER BY receipt.id
                """, [.text(application), .integers(ids.map { Int64(clamping: $0) })])
            return (0..<rows.count).reduce(into: [:]) { found, row in
                guard let id = rows.integer(row, 0), let user = rows.name(row, 1), let time = rows.integer(row, 2) else {
                    return
                }
                found[UInt64(clamping: id), default: []].append(ChatReceipt(user: user, time: time))
            }
        }
    }

    private static func event(of rows: PostgresRows, _ row: Int, in conversation: Identifier) -> ChatEvent {
        ChatEvent(
            id: UInt64(clamping: rows.integer(row, 0) ?? 0), conversation: conversation, sender: rows.name(row, 1) ?? "",
            clientID: rows.name(row, 2), body: rows.bytes(row, 4) ?? [], audience: Int(clamping: rows.integer(row, 3) ?? 0))
    }
}

// MARK: - Starting

extension PostgreSQLChatStore {
    public func restore() async throws -> RestoredChat { try await restore(PostgresApplications(nil)) }

    public func restore(_ applications: Set<Identifier>) async throws -> RestoredChat {
        try await restore(PostgresApplications(applications))
    }

    private func restore(_ applications: PostgresApplications) async throws -> RestoredChat {
        // The client ids of the last hour's messages are restored, because repeated messages are recognized for an hour (rule CT-7).
        let now = now()
        let horizon = now - min(now, 3600 * TimetokenClock.ticksPerSecond)
        let schema = settings.schema
        return try await database.snapshot { connection in
            let row = try connection.run(
                "SELECT epoch, reserved, (SELECT max(id) FROM event) FROM store WHERE part = $1", [.text(ChatTables.part)])
            guard let epoch = row.text(0, 0) else { throw PostgreSQLStoreError.damaged(schema: schema) }
            var restored = RestoredChat(epoch: epoch)
            let reserved = row.integer(0, 1) ?? 0
            // Every server reserves ids before it accepts requests, so tables without reserved ids were never used by a server.
            restored.isFirstStart = reserved == 0
            restored.highestID = UInt64(clamping: max(reserved, row.integer(0, 2) ?? 0))
            do {
                try Self.restoreDocuments(applications, connection, into: &restored)
            } catch is DecodingError {
                throw PostgreSQLStoreError.damaged(schema: schema)
            }
            try Self.restoreInboxes(applications, connection, into: &restored)
            try Self.restoreSends(applications, since: horizon, connection, into: &restored)
            return restored
        }
    }

    private static func restoreDocuments(
        _ applications: PostgresApplications, _ connection: PostgresConnection, into restored: inout RestoredChat
    ) throws {
        let decoder = JSONDecoder()
        try connection.forEach(
            "SELECT application, value FROM document WHERE \(applications.condition(1))", with: [applications.value]
        ) { rows, row in
            guard let application = rows.name(row, 0) else { return }
            let document = try decoder.decode(ChatDocument.self, from: Data(rows.bytes(row, 1) ?? []))
            restored.applications[application, default: .init()].documents.append(document)
        }
    }

    private static func restoreInboxes(
        _ applications: PostgresApplications, _ connection: PostgresConnection, into restored: inout RestoredChat
    ) throws {
        try connection.forEach(
            """
            SELECT application, name, acknowledged, greatest(last, (
                SELECT max(sequence) FROM inbox_entry WHERE inbox_entry.application = inbox.application AND inbox_entry.name = inbox.name))
            FROM inbox WHERE \(applications.condition(1))
            """, with: [applications.value]
        ) { rows, row in
            guard let application = rows.name(row, 0), let user = rows.name(row, 1) else { return }
            restored.applications[application, default: .init()].inboxes[user] = (
                UInt64(clamping: rows.integer(row, 3) ?? 0), UInt64(clamping: rows.integer(row, 2) ?? 0)
            )
        }
    }

    private static func restoreSends(
        _ applications: PostgresApplications, since horizon: UInt64, _ connection: PostgresConnection,
        into restored: inout RestoredChat
    ) throws {
        try connection.forEach(
            """
            SELECT application, sender, client_id, id, own_sequence FROM event
            WHERE id > $2 AND client_id IS NOT NULL AND \(applications.condition(1)) ORDER BY id
            """, with: [applications.value, .clamped(horizon)]
        ) { rows, row in
            guard let application = rows.name(row, 0), let sender = rows.name(row, 1), let clientID = rows.name(row, 2) else {
                return
            }
            restored.applications[application, default: .init()].recentSends.append(
                (
                    sender, clientID, UInt64(clamping: rows.integer(row, 3) ?? 0),
                    rows.integer(row, 4).map { UInt64(clamping: $0) }
                ))
        }
    }
}
