import Identifiers
import NIOConcurrencyHelpers
import ServerStorage
import ServerValues

/// Stores messages durably in a PostgreSQL database (rules PG-1 to PG-15).
///
/// One connection writes, and several read concurrently. Each has a thread of its own. Messages outside of the history are kept for a
/// while, so that subscribers can catch up. Later these messages are deleted in the background, as are expired messages.
public final class PostgreSQLMessageStore: MessageStore {
    private let database: PostgresDatabase<MessageStatements>
    private let trimmer = HistoryTrimmer()
    private let partitions: MessagePartitions
    private let settings: PostgreSQLSettings
    private let now: @Sendable () -> UInt64
    /// The statement with which each transaction of a cluster's leader begins; nil when one server at a time uses the database.
    private let check: PostgresStatement?
    private let purging = NIOLockedValueBox<Task<Void, Never>?>(nil)

    private init(
        _ database: PostgresDatabase<MessageStatements>, partitions: MessagePartitions, settings: PostgreSQLSettings,
        check: PostgresStatement? = nil, now: @escaping @Sendable () -> UInt64
    ) {
        self.check = check
        self.database = database
        self.partitions = partitions
        self.settings = settings
        self.now = now
    }

    /// Connects, and creates the tables or migrates them to this version.
    ///
    /// - Parameters:
    ///   - settings: the address of the database, and the limits of the stored data.
    ///   - purgesInBackground: whether a background task deletes expired messages.
    ///   - now: the current time in units of 100 ns, which determines which messages have expired.
    /// - Throws: the reason why the database cannot be used.
    public static func open(
        _ settings: PostgreSQLSettings, purgesInBackground: Bool = true, now: @escaping @Sendable () -> UInt64 = systemTicks
    ) async throws(PostgreSQLStoreError) -> PostgreSQLMessageStore {
        let database = try await PostgresDatabase.open(
            settings, part: MessageTables.part, migrations: MessageTables.migrations,
            items: MessageStatements(catchUp: settings.catchUp))
        let partitions = MessagePartitions(database)
        do {
            // A server without a cluster creates the partitions of the tables here. In a cluster, the leader of the cluster's partition 0
            // creates them.
            if settings.cluster == nil { try await partitions.prepare(under: nil, at: now()) }
        } catch {
            await database.close()
            throw error
        }
        let store = PostgreSQLMessageStore(database, partitions: partitions, settings: settings, now: now)
        guard purgesInBackground else { return store }
        store.purgeInBackground()
        return store
    }

    /// Makes the store for a leader's term in a cluster. The new store uses the connections of this store.
    ///
    /// - Parameter purgesInBackground: whether the new store deletes expired messages. The store of one of the cluster's leaders deletes
    ///   them for all leaders.
    func begin(_ term: LeaderTerm, purgesInBackground: Bool) async throws(PostgreSQLStoreError) -> PostgreSQLMessageStore {
        let store = PostgreSQLMessageStore(
            database, partitions: partitions, settings: settings, check: try await database.begin(term), now: now)
        if purgesInBackground { store.purgeInBackground() }
        return store
    }

    private func purgeInBackground() {
        purging.withLockedValue { [database, partitions, check, now] in
            $0 = Task { await Self.purgeForever(database, partitions, under: check, now) }
        }
    }

    deinit { purging.withLockedValue { $0?.cancel() } }

    /// The reason why the database cannot be used at present; nil while no reason is known.
    public var failure: PostgreSQLStoreError? { database.failure }

    public func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        database.writer.append(.message(message, change, application: application), under: check, completion: completion)
    }

    public func commit(
        _ changes: [KeysetRecordChange], with messages: [StoredMessage], application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        database.writer.append(.records(changes, messages, application: application), under: check, completion: completion)
    }

    public func reserve(timetokensUpTo limit: UInt64) async throws { try await database.reserve(limit, under: check) }

    public func save(group: Identifier, channels: [Identifier], application: String) async throws {
        try await database.writer.perform(under: check) { connection in
            try connection.run(
                "DELETE FROM group_channel WHERE application = $1 AND name = $2", [.text(application), .name(group)])
            try connection.run(
                """
                INSERT INTO group_channel (application, name, position, channel)
                SELECT $1, $2, position, channel FROM unnest($3) WITH ORDINALITY AS item (channel, position)
                """, [.text(application), .name(group), .names(channels)])
        }
    }

    public func save(access entries: [AccessEntry], removing keys: [AccessEntry.Key], application: String) async throws {
        let statements =
            entries.flatMap { AccessStatements.save($0, application) } + keys.map { AccessStatements.remove($0, application) }
        try await database.writer.perform(under: check) { connection in
            for statement in statements { try connection.run(statement) }
        }
    }

    public func close() async {
        purging.withLockedValue { $0?.cancel() }
        // A leader's store, which has a `check`, leaves the connections open: they belong to the shared store, which closes them itself.
        if check == nil { await database.close() }
    }
}

// MARK: - History

extension PostgreSQLMessageStore {
    public func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage] {
        guard let span = query.span, query.limit > 0 else { return [] }
        let now = now()
        let spans = partitions.windows.spans(
            Int64(clamping: span.lowest), Int64(clamping: span.highest), isOldestFirst: query.isOldestFirst)
        return try await database.read { connection in
            var page: [StoredMessage] = []
            var bytes = 0
            for span in spans where page.count < query.limit && bytes <= query.maximumBytes {
                let rows = try connection.run(
                    """
                    SELECT \(MessageStatements.columns) FROM message
                    WHERE application = $1 AND channel = $2 AND timetoken BETWEEN $3 AND $4 AND stored
                        AND (expires IS NULL OR expires > $5)
                    ORDER BY timetoken \(query.isOldestFirst ? "ASC" : "DESC") LIMIT $6
                    """,
                    [
                        .text(application), .name(query.channel), .integer(span.lowerBound), .integer(span.upperBound),
                        .clamped(now), .integer(Int64(query.limit - page.count)),
                    ])
                for row in 0..<rows.count where bytes <= query.maximumBytes {
                    let message = MessageStatements.message(of: rows, row)
                    page.append(message)
                    bytes += message.size
                }
            }
            return query.isOldestFirst ? page : page.reversed()
        }
    }

    public func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int] {
        let now = now()
        let channels = since.map { ($0.key, $0.value) }
        return try await database.read { connection in
            let rows = try connection.run(
                """
                SELECT wanted.channel, (
                    SELECT count(*) FROM (
                        SELECT 1 FROM message
                        WHERE application = $1 AND message.channel = wanted.channel AND timetoken > wanted.since
                            AND timetoken > $5 AND stored AND (expires IS NULL OR expires > $2)
                        LIMIT 10000) AS found)
                FROM unnest($3, $4) AS wanted (channel, since)
                """,
                [
                    .text(application), .clamped(now), .names(channels.map(\.0)),
                    .integers(channels.map { Int64(clamping: $0.1) }), .clamped(channels.map(\.1).min() ?? 0),
                ])
            return (0..<rows.count).reduce(into: [:]) { counts, row in
                if let channel = rows.name(row, 0) { counts[channel] = Int(clamping: rows.integer(row, 1) ?? 0) }
            }
        }
    }

    public func remove(actions: [MessageAction], of channel: Identifier, application: String) async throws {
        try await database.writer.perform(under: check) { connection in
            for action in actions { try connection.run(MessageStatements.removal(of: action, of: channel, application)) }
        }
    }

    /// Deletes in small steps, so that other writes can run between two steps. Messages that arrive during the deletion are not deleted.
    public func delete(channel: Identifier, start: UInt64?, end: UInt64?, application: String) async throws -> Int {
        guard let span = HistorySpan(start: start, end: end, isOldestFirst: true) else { return 0 }
        let place: [PostgresValue] = [.text(application), .name(channel)]
        let newest = try await database.read { connection in
            try connection.run("SELECT max(timetoken) FROM message WHERE application = $1 AND channel = $2", place).integer(0, 0)
        }
        guard let newest else { return 0 }
        let highest = min(Int64(clamping: span.highest), newest)
        var lowest = Int64(clamping: span.lowest)
        var deleted = 0
        while lowest <= highest {
            let bounds: [PostgresValue] = [.integer(lowest), .integer(highest), .integer(Int64(Self.deletionStep))]
            // A reading connection searches the messages to delete, concurrently with the writer.
            let keys = try await database.read { connection in
                try MessageUsageStatements.keys(
                    """
                    SELECT application, channel, timetoken FROM message
                    WHERE application = $1 AND channel = $2 AND timetoken BETWEEN $3 AND $4 AND stored ORDER BY timetoken LIMIT $5
                    """, place + bounds, from: connection)
            }
            deleted += try await database.writer.perform(under: check) { try MessageUsageStatements.delete(keys, $0) }
            guard keys.count == Self.deletionStep, let last = keys.last?.timetoken, last < highest else { break }
            lowest = last + 1
        }
        return deleted
    }

    private static var deletionStep: Int { 1000 }

    public func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] {
        let (database, check) = (database, check)
        let totals = try await database.read { try MessageUsageStatements.usage.totals($0) }
        return try await trimmer.trim(limits, totals) { application, limits, from in
            try await database.writer.perform(under: check) {
                try MessageUsageStatements.trim(application, limits, from: from, $0)
            }
        }
    }
}

// MARK: - Purging

extension PostgreSQLMessageStore {
    /// The largest number of rows that one transaction purges, so that other writes can run between two transactions.
    private static var purgeStep: Int { 1000 }

    private static func purgeForever(
        _ database: PostgresDatabase<MessageStatements>, _ partitions: MessagePartitions, under check: PostgresStatement?,
        _ now: @Sendable () -> UInt64
    ) async {
        while !Task.isCancelled {
            // Errors are ignored here and reported by `failure`. A failed purge is repeated after a second, and a failed round of the
            // partitions after a minute.
            try? await partitions.maintain(at: now(), under: check)
            let count = (try? await purge(database, partitions, under: check, at: now())) ?? 0
            // If a step has deleted `purgeStep` rows, expired rows may be left, so the next step follows without a pause.
            guard count < purgeStep else { continue }
            // The sleep ends early when the task is cancelled, and the condition of the loop then ends the loop.
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Deletes up to a thousand expired messages, and up to a thousand expired entries of the access manager.
    ///
    /// - Returns: the number of deleted messages or of deleted entries, whichever is larger.
    func purge() async throws -> Int { try await Self.purge(database, partitions, under: check, at: now()) }

    /// Creates the partitions of the next days, and drops those whose messages have all expired.
    func maintainPartitions() async throws { try await partitions.maintain(at: now(), under: check, isForced: true) }

    private static func purge(
        _ database: PostgresDatabase<MessageStatements>, _ partitions: MessagePartitions, under check: PostgresStatement?,
        at now: UInt64
    ) async throws(PostgreSQLStoreError) -> Int {
        let waiting = partitions.waiting
        // A reading connection searches the expired messages, concurrently with the writer.
        let keys = try await database.read { connection in
            try MessageUsageStatements.keys(
                """
                SELECT application, channel, timetoken FROM message
                WHERE expires <= $1 AND (timetoken < $3 OR timetoken >= $4) ORDER BY expires LIMIT $2
                """,
                [
                    .clamped(now), .integer(Int64(purgeStep)), .integer(waiting.lowerBound), .integer(waiting.upperBound),
                ], from: connection)
        }
        return try await database.writer.perform(under: check) { connection in
            let messages = try MessageUsageStatements.delete(keys, connection)
            let entries = try connection.run(
                "DELETE FROM access WHERE id IN (SELECT id FROM access WHERE expires <= $1 ORDER BY expires LIMIT $2)",
                [.clamped(now / TimetokenClock.ticksPerSecond), .integer(Int64(purgeStep))])
            return max(messages, entries.changes)
        }
    }
}

// MARK: - Starting

extension PostgreSQLMessageStore {
    public func restore() async throws -> RestoredState { try await restore(PostgresApplications(nil)) }

    public func restore(_ applications: Set<Identifier>) async throws -> RestoredState {
        try await restore(PostgresApplications(applications))
    }

    private func restore(_ applications: PostgresApplications) async throws -> RestoredState {
        let (settings, now) = (settings, now())
        return try await database.snapshot {
            try MessageRestoration(settings, now: now, applications: applications).state(from: $0)
        }
    }
}
