import DequeModule
import NIOConcurrencyHelpers

/// Several connections that read concurrently, each on a thread of its own. A read waits in a queue until one of the connections is free.
final class PostgresReaders: Sendable {
    private struct State: Sendable {
        var waiting = Deque<@Sendable (PostgresSession?) -> Void>()
        var idle: [PostgresSession]
        var isClosed = false
    }

    /// The largest number of reads in the queue.
    static let limit = 10_000

    private let sessions: [PostgresSession]
    private let state: NIOLockedValueBox<State>

    init(_ settings: PostgreSQLSettings, _ libpq: LibPQ) {
        let sessions = (0..<settings.poolSize).map { number in
            PostgresSession(settings, libpq, label: "lifeline.store.reader.\(number)") { connection in
                // Query plans are reused, because planning a page of a table with hundreds of partitions takes ten times as long as reading
                // the page.
                try connection.execute("SET plan_cache_mode = force_generic_plan")
            }
        }
        self.sessions = sessions
        state = NIOLockedValueBox(State(idle: sessions))
    }

    /// Performs a read. If the connection ends during the read, the read is repeated once on a new connection.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws(PostgreSQLStoreError) -> Value {
        let result: Result<Value, PostgreSQLStoreError> = await withCheckedContinuation { continuation in
            submit { session in
                guard let session else { return continuation.resume(returning: .failure(.closed)) }
                var result = Result { try session.use(body) }
                if case .failure(let error as PostgresError) = result, error.endsConnection {
                    result = Result { try session.use(body) }
                }
                continuation.resume(returning: result.mapError { PostgreSQLStoreError($0) })
            } refuse: {
                continuation.resume(returning: .failure(.overloaded))
            }
        }
        return try result.get()
    }

    /// Refuses further reads, and closes the connections when the reads in progress have ended.
    func close() async {
        let waiting = state.withLockedValue { state in
            state.isClosed = true
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        for job in waiting { job(nil) }
        for session in sessions {
            await withCheckedContinuation { continuation in
                session.queue.async {
                    session.end()
                    continuation.resume()
                }
            }
        }
    }

    private func submit(_ job: @escaping @Sendable (PostgresSession?) -> Void, refuse: () -> Void) {
        enum Outcome { case closed, full, queued, start(PostgresSession) }
        let outcome: Outcome = state.withLockedValue { state in
            guard !state.isClosed else { return .closed }
            guard state.waiting.count < Self.limit else { return .full }
            state.waiting.append(job)
            return state.idle.popLast().map { .start($0) } ?? .queued
        }
        switch outcome {
        case .closed: job(nil)
        case .full: refuse()
        case .queued: break
        case .start(let session): session.queue.async { self.drain(session) }
        }
    }

    /// Performs waiting reads until the queue is empty. Call it on the session's queue.
    private func drain(_ session: PostgresSession) {
        while let job = next(session) { job(session) }
    }

    private func next(_ session: PostgresSession) -> (@Sendable (PostgresSession?) -> Void)? {
        state.withLockedValue { state in
            if let job = state.waiting.popFirst() { return job }
            state.idle.append(session)
            return nil
        }
    }
}
