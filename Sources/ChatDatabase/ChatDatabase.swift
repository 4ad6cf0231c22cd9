import GRDB
import Identifiers
import NIOConcurrencyHelpers
import NexconnProtocol

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The data that a chat client stores on this device for one user of one application: messages, channels, and the position in the
/// inbox.
///
/// All calls block until they are done and may come from any thread; they must not come from the main one. One writes at a time,
/// four read beside it: a search does not hold up what arrives (rule CD-8). After ``close()`` they throw `closed`.
public final class ChatDatabase: Sendable {
    private struct State: Sendable {
        var isClosed = false
        var place: NexconnPlace?
        var interrupted: [Int64] = []
        /// Numbers of names that are in the database for certain.
        var names: [Identifier: Int64] = [:]
    }

    /// The user whose messages this database stores.
    public let user: String
    /// Where it lies.
    public var path: String { file.path }

    private let file: ChatFile
    private let pool: DatabasePool
    /// Milliseconds since 1970.
    private let now: @Sendable () -> Int64
    private let state: NIOLockedValueBox<State>

    /// Opens the database of a user, and makes it if need be.
    ///
    /// A file that is damaged, or that a newer version wrote, is put aside, and a new one begins: `isRecreated` is true, and what
    /// was only there is gone (rules CD-3 to CD-5). Messages that were being sent when the process ended are failed now, and known
    /// as ``unfinished()``.
    /// - Parameters:
    ///   - directory: is created if need be, for its owner alone.
    ///   - now: the time of day in milliseconds since 1970.
    public static func open(
        directory: String, appKey: String, user: String, now: @escaping @Sendable () -> Int64 = ChatDatabase.timeOfDay
    ) throws(ChatDatabaseError) -> (database: ChatDatabase, isRecreated: Bool) {
        try open(directory: directory, appKey: appKey, user: user, patience: 2, now: now)
    }

    /// - Parameter patience: how long to wait for another process that holds the file, in seconds.
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

    /// Waits for calls that are under way, then releases the file. Any number of times.
    public func close() {
        let wasClosed = state.withLockedValue { state in
            defer { state.isClosed = true }
            return state.isClosed
        }
        guard !wasClosed else { return }
        // So that one file is all there is; the last connection that closes only reads, and could not.
        _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try? pool.close()
    }

    /// How far this device has got in the user's inbox: what to resume from. Nil for a new database.
    public var place: NexconnPlace? { state.withLockedValue(\.place) }

    var interrupted: [Int64] { state.withLockedValue(\.interrupted) }

    func remember(place: NexconnPlace) { state.withLockedValue { $0.place = place } }

    // MARK: - Transactions

    func read<Value>(_ body: (Database) throws -> Value) throws(ChatDatabaseError) -> Value {
        guard !state.withLockedValue(\.isClosed) else { throw .closed }
        do {
            return try pool.read(body)
        } catch {
            throw failure(error)
        }
    }

    /// Does `body` wholly or, when it throws, not at all.
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
        // A call that came just before the end fails in the ways of a closed file.
        if state.withLockedValue(\.isClosed) { return .closed }
        let failure = ChatDatabaseError(error)
        if failure == .damaged { file.markDamaged() }
        return failure
    }
}
