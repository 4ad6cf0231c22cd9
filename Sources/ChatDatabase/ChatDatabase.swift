import ChatProtocol
import GRDB
import Identifiers
import NIOConcurrencyHelpers

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The data that a chat client stores on this device for one user of one application: messages, channels, and the position in the inbox.
///
/// All calls block until they are done. They may come from any thread except the main thread. One call can write while up to four other
/// calls read, so a search does not delay the storing of arriving events (rule CD-8). After ``close()`` all calls throw `closed`.
public final class ChatDatabase: Sendable {
    private struct State: Sendable {
        var isClosed = false
        var place: ChatPlace?
        var interrupted: [Int64] = []
        /// A cache of the numbers under which the table `name` stores user ids and message types. It has only entries that are certainly in
        /// the database.
        var names: [Identifier: Int64] = [:]
    }

    /// The user whose messages this database stores.
    public let user: String
    /// The path of the database file.
    public var path: String { file.path }

    private let file: ChatFile
    private let pool: DatabasePool
    /// Returns the time of day in milliseconds since 1970.
    private let now: @Sendable () -> Int64
    private let state: NIOLockedValueBox<State>

    /// Opens the database of a user, and creates it if it does not exist.
    ///
    /// A file that is damaged, or that a newer version has written, is moved aside and replaced by a new file. `isRecreated` is then true,
    /// and data that was stored only in the old file is lost (rules CD-3 to CD-5). Messages that were being sent when the process ended are
    /// marked as failed, and ``unfinished()`` returns them.
    /// - Parameters:
    ///   - directory: the directory of the file. It is created if necessary, accessible to its owner only.
    ///   - now: returns the time of day in milliseconds since 1970.
    public static func open(
        directory: String, appKey: String, user: String, now: @escaping @Sendable () -> Int64 = ChatDatabase.timeOfDay
    ) throws(ChatDatabaseError) -> (database: ChatDatabase, isRecreated: Bool) {
        try open(directory: directory, appKey: appKey, user: user, patience: 2, now: now)
    }

    /// - Parameter patience: how long to wait for another process that uses the database, in seconds.
    static func open(
        directory: String, appKey: String, user: String, patience: Double, now: @escaping @Sendable () -> Int64
    ) throws(ChatDatabaseError) -> (database: ChatDatabase, isRecreated: Bool) {
        let file = ChatFile(directory: directory, appKey: appKey, user: user)
        let lock = try file.lock(patience: patience)
        defer { lock.release() }
        let wasThere = try file.prepare()
        if !file.isMarked {
            do throws(ChatDatabaseError) {
                return (try ChatDatabase(file: file, user: user, patience: patience, now: now), false)
            } catch .damaged where wasThere {
            }
        }
        try file.putAside()
        _ = try file.prepare()
        return (try ChatDatabase(file: file, user: user, patience: patience, now: now), true)
    }

    private init(
        file: ChatFile, user: String, patience: Double, now: @escaping @Sendable () -> Int64
    ) throws(ChatDatabaseError) {
        self.file = file
        self.user = user
        self.now = now
        do {
            pool = try ChatSchema.open(path: file.path, patience: patience)
            state = try NIOLockedValueBox(
                pool.write { database in
                    State(
                        place: try WriteTransaction.place(database), interrupted: try WriteTransaction.failInterrupted(database))
                })
        } catch {
            throw ChatDatabaseError(error)
        }
    }

    /// The time of day by the system's clock, in milliseconds since 1970.
    @Sendable public static func timeOfDay() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    /// Waits for calls in progress, then closes the file. Repeated calls have no effect.
    public func close() {
        let wasClosed = state.withLockedValue { state in
            defer { state.isClosed = true }
            return state.isClosed
        }
        guard !wasClosed else { return }
        // Merges the write-ahead log into the main file, so that only one file is left. SQLite cannot do this by itself here, because the
        // connection that closes last is read-only.
        _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try? pool.close()
    }

    /// This device's position in the user's inbox, at which a session resumes; nil for a new database.
    public var place: ChatPlace? { state.withLockedValue(\.place) }

    var interrupted: [Int64] { state.withLockedValue(\.interrupted) }

    func remember(place: ChatPlace) { state.withLockedValue { $0.place = place } }

    // MARK: - Transactions

    func read<Value>(_ body: (Database) throws -> Value) throws(ChatDatabaseError) -> Value {
        guard !state.withLockedValue(\.isClosed) else { throw .closed }
        do {
            return try pool.read(body)
        } catch {
            throw failure(error)
        }
    }

    /// Runs `body` in a transaction, which has no effect when `body` throws.
    func write<Value>(_ body: (WriteTransaction) throws -> Value) throws(ChatDatabaseError) -> Value {
        let (isClosed, names) = state.withLockedValue { ($0.isClosed, $0.names) }
        guard !isClosed else { throw .closed }
        do {
            let (value, known) = try pool.write { database in
                let transaction = WriteTransaction(database, user: user, now: now(), names: names)
                let value = try body(transaction)
                try transaction.flush()
                return (value, transaction.names)
            }
            if known.count != names.count { state.withLockedValue { $0.names = known } }
            return value
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: any Error) -> ChatDatabaseError {
        // A call that began just before the close can fail with errors about a closed file. These errors are reported as `closed`.
        if state.withLockedValue(\.isClosed) { return .closed }
        let failure = ChatDatabaseError(error)
        if failure == .damaged { file.markDamaged() }
        return failure
    }
}
