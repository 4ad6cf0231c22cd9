import Dispatch
import NIOConcurrencyHelpers

/// A connection with a thread of its own. The thread connects, uses the connection, and connects again after a loss (rules PG-10 to PG-14).
///
/// While the server cannot be reached, calls fail at once with the last error. The pauses between connection attempts begin at 100 ms and
/// double each time, up to 5 s.
///
/// `@unchecked Sendable`: `connection`, `failures` and `next` are used on `queue` only.
final class PostgresSession: @unchecked Sendable {
    let queue: DispatchQueue
    private let settings: PostgreSQLSettings
    private let libpq: LibPQ
    private let prepare: @Sendable (PostgresConnection) throws -> Void
    private var connection: PostgresConnection?
    private var failures = 0
    /// After a failed connection attempt, the time of the next one, in nanoseconds of the monotonic clock, and the error of the failed one.
    private var next: (time: UInt64, error: PostgreSQLStoreError)?
    private let problem = NIOLockedValueBox<PostgreSQLStoreError?>(nil)

    /// - Parameter prepare: prepares each new connection. If it throws, the connection is closed.
    init(
        _ settings: PostgreSQLSettings, _ libpq: LibPQ, label: String,
        prepare: @escaping @Sendable (PostgresConnection) throws -> Void = { _ in }
    ) {
        self.settings = settings
        self.libpq = libpq
        self.prepare = prepare
        queue = DispatchQueue(label: label, qos: .userInitiated)
    }

    /// The reason why there is no connection; nil while there is a connection, and before the first attempt to connect. May be called from
    /// any thread.
    var failure: PostgreSQLStoreError? { problem.withLockedValue { $0 } }

    /// Performs `body` with the connection. Call it on the session's queue.
    func use<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
        let connection = try current()
        do {
            return try body(connection)
        } catch {
            let hasEnded = (error as? PostgresError)?.endsConnection ?? false
            if hasEnded || !connection.isOpen {
                self.connection = nil
                if hasEnded { problem.withLockedValue { $0 = PostgreSQLStoreError(error) } }
            }
            throw error
        }
    }

    /// Performs a transaction, and repeats it if PostgreSQL has undone it because of another transaction: at most three times in all (rule
    /// PG-40). Call it on the session's queue.
    func repeating<Value>(_ transaction: (PostgresConnection) throws -> Value) throws -> Value {
        for _ in 1..<3 {
            do {
                return try use(transaction)
            } catch let error as PostgresError where error.isConflict {}
        }
        return try use(transaction)
    }

    /// Connects, unless there is a connection or the time of the next attempt has not come yet. Call it on the session's queue.
    func connect() {
        // The error of a failed attempt is ignored here, because the property `failure` has it.
        _ = try? current()
    }

    /// If there is a connection, performs `body` with it, and then closes the connection.
    func end(_ body: (PostgresConnection) throws -> Void = { _ in }) {
        // An error is ignored: `body` can only release the server's lock, and PostgreSQL itself releases this lock when the connection
        // ends.
        if let connection, connection.isOpen { try? body(connection) }
        connection = nil
    }

    private func current() throws(PostgreSQLStoreError) -> PostgresConnection {
        if let connection, connection.isOpen { return connection }
        connection = nil
        if let next, DispatchTime.now().uptimeNanoseconds < next.time { throw next.error }
        do {
            let made = try PostgresConnection(settings, libpq)
            try made.execute("SET search_path TO \(settings.quotedSchema)")
            try prepare(made)
            connection = made
            failures = 0
            next = nil
            problem.withLockedValue { $0 = nil }
            return made
        } catch {
            let reason = PostgreSQLStoreError(error)
            let pause: UInt64 = min(5_000_000_000, 100_000_000 << UInt64(min(failures, 6)))
            failures += 1
            next = (DispatchTime.now().uptimeNanoseconds + pause, reason)
            problem.withLockedValue { $0 = reason }
            throw reason
        }
    }
}
