import DequeModule
import Dispatch
import NIOConcurrencyHelpers

/// Converts a writer's items to statements. Pure.
protocol PostgresItems: Sendable {
    associatedtype Item: Sendable

    /// The memory of a queued item in bytes.
    func cost(of item: Item) -> Int
    /// The statements that store an item. They need no answers of each other.
    func statements(for item: Item) -> [PostgresStatement]
    /// The statements that count items, within the transaction that stores them and before their own statements.
    func counts(of items: [Item]) -> [PostgresStatement]
}

/// The only writer: accepts work from any thread, performs it in order on a separate thread, and stores the items that wait in one
/// transaction, whose statements are sent without waiting for their answers (rules PG-3 and PG-4).
final class PostgresWriter<Items: PostgresItems>: Sendable {
    private enum Job: Sendable {
        /// Stores an item, in a transaction that begins with the statement `check` if there is one.
        case append(Items.Item, check: PostgresStatement?, cost: Int, Completion)
        /// An append that was refused; it is answered in order.
        case refusal(Completion, PostgreSQLStoreError)
        /// Work with its own transactions and its own completions.
        case work(@Sendable (PostgresSession) -> Void)
    }

    private struct Waiting: Sendable {
        var jobs = Deque<Job>()
        var bytes = 0
        var isDraining = false
        var isClosed = false
    }

    typealias Completion = @Sendable ((any Error)?) -> Void

    /// The largest number of items of one transaction, and of their bytes.
    static var groupLimit: Int { 1000 }
    static var groupBytes: Int { 8 << 20 }

    private let session: PostgresSession
    private let items: Items
    private let bytesLimit: Int
    private let waiting = NIOLockedValueBox(Waiting())

    init(session: PostgresSession, items: Items, bytesLimit: Int = 64 << 20) {
        self.session = session
        self.items = items
        self.bytesLimit = bytesLimit
    }

    /// Why nothing can be written at present; nil when that is not known.
    var failure: PostgreSQLStoreError? { session.failure }

    var isClosed: Bool { waiting.withLockedValue { $0.isClosed } }

    /// - Parameter check: a statement that fails when the item must not be stored any more (``LeaderTerm``).
    func append(_ item: Items.Item, under check: PostgresStatement? = nil, completion: @escaping Completion) {
        let cost = items.cost(of: item)
        submit { waiting in
            // The refusal goes through the queue, so that completions keep the order of the calls.
            guard !waiting.isClosed else { return .refusal(completion, .closed) }
            guard waiting.bytes < self.bytesLimit else { return .refusal(completion, .overloaded) }
            waiting.bytes += cost
            return .append(item, check: check, cost: cost, completion)
        }
    }

    /// Completes with an error, in the order of the calls.
    func refuse(_ error: PostgreSQLStoreError, completion: @escaping Completion) {
        submit { _ in .refusal(completion, error) }
    }

    /// Performs `work` in the order of the queue, in a transaction, after the statement `check` if there is one. A transaction that lost a
    /// conflict is done again, so `work` must change nothing but the database.
    func perform<Value: Sendable>(
        under check: PostgresStatement? = nil, _ work: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws(PostgreSQLStoreError) -> Value {
        let result: Result<Value, PostgreSQLStoreError> = await withCheckedContinuation { continuation in
            submit { waiting in
                let isClosed = waiting.isClosed
                return .work { session in
                    guard !isClosed else { return continuation.resume(returning: .failure(.closed)) }
                    let result = Result {
                        try session.repeating { connection in
                            try connection.transaction("BEGIN") { connection in
                                if let check { try connection.run(check) }
                                return try work(connection)
                            }
                        }
                    }
                    continuation.resume(returning: result.mapError { PostgreSQLStoreError($0) })
                }
            }
        }
        return try result.get()
    }

    /// Refuses further calls, and returns when all earlier work is done and the connection is closed.
    ///
    /// - Parameter last: the last use of the connection.
    func close(_ last: @escaping @Sendable (PostgresConnection) throws -> Void) async {
        await withCheckedContinuation { continuation in
            submit { waiting in
                waiting.isClosed = true
                return .work { session in
                    session.end(last)
                    continuation.resume()
                }
            }
        }
    }

    private func submit(_ job: (inout Waiting) -> Job) {
        let starts = waiting.withLockedValue { waiting in
            waiting.jobs.append(job(&waiting))
            defer { waiting.isDraining = true }
            return !waiting.isDraining
        }
        if starts { session.queue.async { self.drain() } }
    }
}

// MARK: - On the writer's thread

extension PostgresWriter {
    private func drain() {
        while true {
            let group = takeGroup()
            if !group.isEmpty {
                write(group)
            } else if let work = takeWork() {
                work(session)
            } else if rest() {
                return
            }
        }
    }

    /// The appends and refusals that wait before the next work, up to the limits of a group.
    private func takeGroup() -> [Job] {
        waiting.withLockedValue { waiting in
            var group: [Job] = []
            var bytes = 0
            while group.count < Self.groupLimit, bytes < Self.groupBytes, let first = waiting.jobs.first {
                if case .work = first { break }
                if case .append(_, _, let cost, _) = first { bytes += cost }
                group.append(waiting.jobs.removeFirst())
            }
            waiting.bytes -= bytes
            return group
        }
    }

    private func takeWork() -> (@Sendable (PostgresSession) -> Void)? {
        waiting.withLockedValue { waiting in
            guard case .work(let work)? = waiting.jobs.first else { return nil }
            waiting.jobs.removeFirst()
            return work
        }
    }

    /// Returns true when nothing waits: the next job starts the thread again.
    private func rest() -> Bool {
        waiting.withLockedValue { waiting in
            waiting.isDraining = !waiting.jobs.isEmpty
            return !waiting.isDraining
        }
    }

    private func write(_ group: [Job]) {
        let statements = group.map { job -> [PostgresStatement] in
            if case .append(let item, _, _, _) = job { items.statements(for: item) } else { [] }
        }
        // Each partition whose leader writes is checked once.
        let checks = group.map { job -> [PostgresStatement] in
            if case .append(_, let check?, _, _) = job { [check] } else { [] }
        }
        var failures = [PostgreSQLStoreError?](repeating: nil, count: group.count)
        if let error = store(Array(Set(checks.flatMap { $0 })) + counts(of: group) + statements.flatMap { $0 }) {
            // Items are stored completely or not at all, and independently of each other: if one of them cannot be stored, each gets
            // a transaction of its own.
            let concernsOne = (error as? PostgresError)?.concernsItem ?? false
            failures = zip(group, zip(checks, statements)).map { job, own in
                let error = concernsOne && group.count > 1 ? store(own.0 + counts(of: [job]) + own.1) : error
                return error.map { PostgreSQLStoreError($0) }
            }
        }
        for (job, failure) in zip(group, failures) {
            switch job {
            case .append(_, _, _, let completion): completion(failure)
            case .refusal(let completion, let error): completion(error)
            case .work: break
            }
        }
    }

    private func counts(of group: [Job]) -> [PostgresStatement] {
        items.counts(
            of: group.compactMap { job in
                if case .append(let item, _, _, _) = job { item } else { nil }
            })
    }

    private func store(_ statements: [PostgresStatement]) -> (any Error)? {
        guard !statements.isEmpty else { return nil }
        do {
            try session.repeating { try $0.pipeline(statements) }
            return nil
        } catch {
            return error
        }
    }
}
