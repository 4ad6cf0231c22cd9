import DequeModule
import Dispatch
import NIOConcurrencyHelpers

/// Converts a writer's items to SQL statements, without side effects.
protocol PostgresItems: Sendable {
    associatedtype Item: Sendable

    /// The memory that a queued item takes, in bytes.
    func cost(of item: Item) -> Int
    /// The statements that store an item. No statement needs the answer of another one.
    func statements(for item: Item) -> [PostgresStatement]
    /// The statements that add items to the counts. They run in the transaction that stores the items, before the items' own statements.
    func counts(of items: [Item]) -> [PostgresStatement]
}

/// Performs all writes of a store in order, on a separate thread; calls may come from any thread. Waiting items are stored in one
/// transaction, whose statements are sent without waiting for their answers (rules PG-3 and PG-4).
final class PostgresWriter<Items: PostgresItems>: Sendable {
    private enum Job: Sendable {
        /// Stores an item, in a transaction that begins with the statement `check`, if it is not nil.
        case append(Items.Item, check: PostgresStatement?, cost: Int, Completion)
        /// An item that was refused. The refusal is reported in the order of the queue.
        case refusal(Completion, PostgreSQLStoreError)
        /// Work that uses its own transactions and calls its own completions.
        case work(@Sendable (PostgresSession) -> Void)
    }

    private struct Waiting: Sendable {
        var jobs = Deque<Job>()
        var bytes = 0
        var isDraining = false
        var isClosed = false
    }

    typealias Completion = @Sendable ((any Error)?) -> Void

    /// The largest number of items in one transaction, and the largest number of their bytes.
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

    /// The reason why nothing can be written at present; nil while no reason is known.
    var failure: PostgreSQLStoreError? { session.failure }

    var isClosed: Bool { waiting.withLockedValue { $0.isClosed } }

    /// Queues an item to store.
    ///
    /// - Parameter check: a statement that fails when the item must not be stored any more (``LeaderTerm``); nil for no check.
    func append(_ item: Items.Item, under check: PostgresStatement? = nil, completion: @escaping Completion) {
        let cost = items.cost(of: item)
        submit { waiting in
            // A refusal goes through the queue, too, so that completions are called in the order of the calls.
            guard !waiting.isClosed else { return .refusal(completion, .closed) }
            guard waiting.bytes < self.bytesLimit else { return .refusal(completion, .overloaded) }
            waiting.bytes += cost
            return .append(item, check: check, cost: cost, completion)
        }
    }

    /// Calls `completion` with an error, in the order of the calls.
    func refuse(_ error: PostgreSQLStoreError, completion: @escaping Completion) {
        submit { _ in .refusal(completion, error) }
    }

    /// Performs `work` in the order of the queue, in a transaction that begins with the statement `check`, if it is not nil. If PostgreSQL
    /// undoes the transaction because of a conflict with another one, the transaction is repeated, so `work` must change nothing but the
    /// database.
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

    /// Refuses further calls. Returns when all earlier work is done and the connection is closed.
    ///
    /// - Parameter last: called with the connection before it is closed.
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

    /// Takes the items and refusals at the front of the queue, up to the first `work` job or the limits of a group.
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

    /// Returns true when the queue is empty. The thread then stops, and the next job starts it again.
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
        // The group's transaction contains each distinct check once, that is, one for each partition whose leader writes.
        let checks = group.map { job -> [PostgresStatement] in
            if case .append(_, let check?, _, _) = job { [check] } else { [] }
        }
        var failures = [PostgreSQLStoreError?](repeating: nil, count: group.count)
        if let error = store(Array(Set(checks.flatMap { $0 })) + counts(of: group) + statements.flatMap { $0 }) {
            // An item is stored completely or not at all, and independently of other items. If the values of one item have caused the
            // failure, each item of the group is stored again in a separate transaction.
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
