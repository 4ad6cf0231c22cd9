import GRDB
import Identifiers
import NIOConcurrencyHelpers
import ServerStorage

/// Stores messages durably in a SQLite database (rules HB-42 to HB-47).
///
/// One thread writes, and several read concurrently. Messages outside the history are kept so that subscribers can catch up. These messages
/// and messages that have expired are purged in the background.
public final class SQLiteMessageStore: MessageStore {
    private let directory: StoreDirectory
    private let pool: DatabasePool
    let writer: StoreWriter<MessageRow>
    private let purging: NIOLockedValueBox<Task<Void, Never>?>
    private let trimmer = HistoryTrimmer()
    private let settings: StoreSettings
    private let now: @Sendable () -> UInt64

    /// Opens the database in `directory`, which is created if necessary.
    ///
    /// The call blocks while it reads the schema and, after a crash, the write-ahead log.
    /// - Parameters:
    ///   - directory: the directory of the database.
    ///   - settings: durability, and how many messages are loaded at the start.
    ///   - now: returns the current time in units of 100 ns, for messages that expire.
    /// - Throws: `MessageStoreError`.
    public init(
        directory: String, settings: StoreSettings = StoreSettings(), now: @escaping @Sendable () -> UInt64 = systemTicks
    ) throws(MessageStoreError) {
        self.directory = try StoreDirectory(path: directory)
        self.settings = settings
        self.now = now
        let file = self.directory.databaseFile
        do {
            pool = try StoreSchema.messages.open(file: file, durability: settings.durability)
        } catch {
            throw MessageStoreError(error, file: file)
        }
        writer = StoreWriter(pool: pool, directory: self.directory, rows: MessageRow(catchUp: settings.catchUp))
        purging = NIOLockedValueBox(nil)
        if settings.purgesInBackground {
            let writer = writer
            purging.withLockedValue { $0 = Task { await Self.purgeForever(writer, now) } }
        }
    }

    deinit { purging.withLockedValue { $0?.cancel() } }

    /// Why the latest changes could not be stored; nil when they were stored, or when there was no change yet.
    public var failure: MessageStoreError? { writer.failure }

    public func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        writer.append(.message(message, change, application: application), completion: completion)
    }

    public func commit(
        _ changes: [KeysetRecordChange], with messages: [StoredMessage], application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        writer.append(.records(changes, messages, application: application), completion: completion)
    }

    public func reserve(timetokensUpTo limit: UInt64) async throws {
        try await writer.reserve(limit, durability: settings.durability)
    }

    public func save(group: Identifier, channels: [Identifier], application: String) async throws {
        try await writer.perform { database in
            try database.execute(
                sql: "DELETE FROM group_channel WHERE application = ? AND name = ?", arguments: [application, group.text])
            for (position, channel) in channels.enumerated() {
                try database.execute(
                    sql: "INSERT INTO group_channel (application, name, position, channel) VALUES (?, ?, ?, ?)",
                    arguments: [application, group.text, position, channel.text])
            }
        }
    }

    public func save(access entries: [AccessEntry], removing keys: [AccessEntry.Key], application: String) async throws {
        try await writer.perform { database in
            for entry in entries { try AccessRows.save(entry, application: application, into: database) }
            for key in keys { try AccessRows.remove(key, application: application, from: database) }
        }
    }

    public func close() async {
        purging.withLockedValue { $0?.cancel() }
        await writer.close()
        try? pool.close()
        directory.release()
    }

    /// Reads from the database while the writer may be writing.
    private func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await pool.read(body)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw MessageStoreError(error, file: directory.databaseFile)
        }
    }
}

/// Converts a time from units of 100 ns to seconds since 1970.
private func seconds(_ ticks: UInt64) -> Int { Int(ticks / TimetokenClock.ticksPerSecond) }

/// The settings of a durable message store.
public struct StoreSettings: Hashable, Sendable {
    /// Which failures of process or machine an acknowledged message survives.
    public var durability: Durability
    /// How long messages outside the history are kept for readers that catch up, in units of 100 ns; the default is 20 minutes.
    public var catchUp: UInt64
    /// The largest number of messages of one channel that are loaded when the server starts.
    public var recentPerChannel: Int
    /// The largest number of messages of all channels that are loaded when the server starts.
    public var recentInAll: Int
    /// The approximate maximum size in bytes of the messages that are loaded when the server starts.
    public var recentBytes: Int
    /// Whether expired messages are deleted in the background. False only in tests.
    var purgesInBackground = true

    /// Makes settings. By default an acknowledged message survives the end of the process, but not a power failure.
    public init(
        durability: Durability = .process, catchUp: UInt64 = 1200 * TimetokenClock.ticksPerSecond, recentPerChannel: Int = 101,
        recentInAll: Int = 200_000, recentBytes: Int = 256 << 20
    ) {
        self.durability = durability
        self.catchUp = catchUp
        self.recentPerChannel = recentPerChannel
        self.recentInAll = recentInAll
        self.recentBytes = recentBytes
    }
}

// MARK: - History

extension SQLiteMessageStore {
    public func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage] {
        guard let span = query.span, query.limit > 0, MessageRow.canBeName(query.channel) else { return [] }
        let now = Int64(clamping: now())
        return try await read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT \(MessageRow.columns) FROM message
                    WHERE application = ? AND channel = ? AND timetoken BETWEEN ? AND ? AND stored = 1
                        AND (expires IS NULL OR expires > ?)
                    ORDER BY timetoken \(query.isOldestFirst ? "ASC" : "DESC") LIMIT ?
                    """)
            let arguments: StatementArguments = [
                application, query.channel.text, Int64(clamping: span.lowest), Int64(clamping: span.highest), now, query.limit,
            ]
            var page: [StoredMessage] = []
            page.reserveCapacity(min(query.limit, 100))
            let rows = try Row.fetchCursor(statement, arguments: arguments)
            var bytes = 0
            while bytes <= query.maximumBytes, let row = try rows.next() {
                let message = MessageRow.message(of: row)
                page.append(message)
                bytes += message.size
            }
            return query.isOldestFirst ? page : page.reversed()
        }
    }

    public func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int] {
        let now = Int64(clamping: now())
        return try await read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT count(*) FROM (
                        SELECT 1 FROM message
                        WHERE application = ? AND channel = ? AND timetoken > ? AND stored = 1
                            AND (expires IS NULL OR expires > ?)
                        LIMIT \(countLimit))
                    """)
            return try since.reduce(into: [:]) { counts, item in
                counts[item.key] = 0
                guard MessageRow.canBeName(item.key) else { return }
                counts[item.key] = try Int.fetchOne(
                    statement, arguments: [application, item.key.text, Int64(clamping: item.value), now])
            }
        }
    }

    public func remove(actions: [MessageAction], of channel: Identifier, application: String) async throws {
        try await writer.perform { database in
            for action in actions { try ActionRows.remove(action, of: channel, application: application, from: database) }
        }
    }

    /// Deletes messages in small steps, so that other writes are possible between them. Messages that arrive during the deletion are kept.
    public func delete(channel: Identifier, start: UInt64?, end: UInt64?, application: String) async throws -> Int {
        guard let span = HistorySpan(start: start, end: end, isOldestFirst: true), MessageRow.canBeName(channel) else { return 0 }
        var highest = Int64(clamping: span.highest)
        var deleted = 0
        while true {
            let bound = highest
            let step = try await writer.perform { database -> (bound: Int64, count: Int) in
                let last = try Int64.fetchOne(
                    database, sql: "SELECT max(timetoken) FROM message WHERE application = ? AND channel = ?",
                    arguments: [application, channel.text])
                try database.execute(
                    sql: """
                        DELETE FROM message WHERE application = ? AND channel = ? AND timetoken IN (
                            SELECT timetoken FROM message
                            WHERE application = ? AND channel = ? AND timetoken BETWEEN ? AND ? AND stored = 1 LIMIT ?)
                        """,
                    arguments: [
                        application, channel.text, application, channel.text, Int64(clamping: span.lowest), bound,
                        Self.deletionStep,
                    ])
                return (min(bound, last ?? 0), database.changesCount)
            }
            highest = step.bound
            deleted += step.count
            guard step.count == Self.deletionStep else { return deleted }
        }
    }

    private static var deletionStep: Int { 1000 }

    public func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] {
        guard !writer.isClosed else { throw MessageStoreError.closed }
        let writer = writer
        if try await read({ try MessageUsage.hasManyEmptyDays($0) }) {
            try await writer.perform { try MessageUsage.forgetEmptyDays($0) }
        }
        return try await trimmer.trim(limits, try await read { try MessageUsage.totals($0) }) { application, limits, from in
            try await writer.perform { try MessageUsage.trim(application.text, limits, from: from, $0) }
        }
    }
}

// MARK: - Starting and purging

extension SQLiteMessageStore {
    public func restore() async throws -> RestoredState { try await restore(ApplicationFilter(nil)) }

    public func restore(_ applications: Set<Identifier>) async throws -> RestoredState {
        try await restore(ApplicationFilter(applications))
    }

    private func restore(_ filter: ApplicationFilter) async throws -> RestoredState {
        let settings = settings
        let now = now()
        return try await read { database in
            var state = RestoredState(remembersStream: true)
            let reserved = try Int64.fetchOne(database, sql: "SELECT timetoken FROM reservation") ?? 0
            let newest = try Int64.fetchOne(database, sql: "SELECT max(timetoken) FROM message") ?? 0
            state.highestTimetoken = UInt64(clamping: max(reserved, newest))
            let groups = try Row.fetchCursor(
                database,
                sql: """
                    SELECT application, name, channel FROM group_channel WHERE \(filter.condition)
                    ORDER BY application, name, position
                    """, arguments: filter.arguments)
            while let row = try groups.next() {
                state.groups[Identifier(row[0] as String), default: [:]][Identifier(row[1] as String), default: []].append(
                    Identifier(row[2] as String))
            }
            state.access = try AccessRows.restore(filter, at: seconds(now), from: database)
            state.actions = try ActionRows.restore(filter, from: database)
            state.records = try RecordRows.restore(filter, from: database)
            for case let action? in state.actions.values.lazy.joined().map(\.value.last) {
                state.highestTimetoken = max(state.highestTimetoken, action.timetoken)
            }
            // The clock may have been set back, so that stored timetokens are ahead of it. In that case the newest timetoken counts as the
            // current time.
            let horizon = max(now, UInt64(clamping: newest)) - min(now, settings.catchUp)
            try Self.restoreRecent(filter, since: horizon, settings, database, into: &state)
            return state
        }
    }

    /// Restores the newest messages first, until the limits of the settings are reached.
    private static func restoreRecent(
        _ filter: ApplicationFilter, since horizon: UInt64, _ settings: StoreSettings, _ database: Database,
        into state: inout RestoredState
    ) throws {
        // The query reads only columns of an index; complete messages are read only for the selected rows. The unary plus prevents SQLite
        // from searching by application: that search would read the whole history.
        let keys = try Row.fetchCursor(
            database,
            sql: """
                SELECT timetoken, application, channel FROM message WHERE timetoken > ? AND +\(filter.condition)
                ORDER BY timetoken DESC LIMIT ?
                """, arguments: [Int64(clamping: horizon)] + filter.arguments + [5 * settings.recentInAll])
        let lookup = try database.cachedStatement(
            sql: "SELECT \(MessageRow.columns) FROM message WHERE application = ? AND channel = ? AND timetoken = ?")
        var perChannel: [Identifier: [Identifier: Int]] = [:]
        var seen = 0
        var kept = 0
        var bytes = 0
        state.recentSince = horizon
        while let key = try keys.next() {
            seen += 1
            let timetoken: Int64 = key[0]
            guard kept < settings.recentInAll, bytes < settings.recentBytes, seen < 5 * settings.recentInAll else {
                state.recentSince = UInt64(clamping: timetoken)
                break
            }
            let application = Identifier(key[1] as String)
            let channel = Identifier(key[2] as String)
            let count = perChannel[application]?[channel] ?? 0
            guard count < settings.recentPerChannel else { continue }
            perChannel[application, default: [:]][channel] = count + 1
            guard let row = try Row.fetchOne(lookup, arguments: [application.text, channel.text, timetoken]) else { continue }
            let message = MessageRow.message(of: row)
            bytes += message.bytes
            state.recent[application, default: []].append(message)
            kept += 1
        }
        state.recent = state.recent.mapValues { $0.reversed() }
    }

    private static func purgeForever(_ writer: StoreWriter<MessageRow>, _ now: @Sendable () -> UInt64) async {
        while !Task.isCancelled {
            let count = (try? await purge(writer, at: now())) ?? 0
            // When `purgeStep` rows were deleted, more rows may have expired, so the next step follows without a pause.
            guard count < purgeStep else { continue }
            // An error is ignored, because the step is repeated a second later.
            for _ in 0..<StoreSpace.stepsPerSecond {
                guard (try? await writer.giveSpaceBack()) == true else { break }
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Deletes expired messages, at most `purgeStep`. Returns the number of deleted messages.
    @discardableResult
    static func purge(_ writer: StoreWriter<MessageRow>, at now: UInt64) async throws(MessageStoreError) -> Int {
        try await writer.perform { database in
            let due = try Row.fetchAll(
                database,
                sql: "SELECT application, channel, timetoken FROM message WHERE expires <= ? ORDER BY expires LIMIT ?",
                arguments: [Int64(clamping: now), purgeStep])
            let deletion = try database.cachedStatement(
                sql: "DELETE FROM message WHERE application = ? AND channel = ? AND timetoken = ?")
            for row in due {
                try deletion.execute(arguments: [row[0] as String, row[1] as String, row[2] as Int64])
            }
            try database.cachedStatement(
                sql: "DELETE FROM access WHERE id IN (SELECT id FROM access WHERE expires <= ? ORDER BY expires LIMIT ?)"
            ).execute(arguments: [seconds(now), purgeStep])
            return max(due.count, database.changesCount)
        }
    }

    private static var purgeStep: Int { 300 }
}
