import DequeModule
import Dispatch
import GRDB
import NIOConcurrencyHelpers
import RealtimeHub

/// The one writer: takes work from any thread, does it in order on a thread of its own, and puts neighbouring messages into one
/// transaction (rule HB-43).
///
/// A transaction ends when nothing more waits, when it has `groupLimit` messages, or after `groupTime`: alone, a message is committed
/// at once; under load the cost of a commit is shared.
final class StoreWriter: Sendable {
    private enum Job: Sendable {
        case append(StoredMessage, application: String, Completion)
        /// An append for which there was no room; told in its turn.
        case refusal(Completion, MessageStoreError)
        /// Brings its own transactions and reports by itself.
        case work(@Sendable (Database) -> Void)
    }

    private struct Waiting: Sendable {
        var jobs = Deque<Job>()
        var bytes = 0
        var isDraining = false
        var isClosed = false
    }

    typealias Completion = @Sendable ((any Error)?) -> Void

    static let groupLimit = 1000
    static let groupTime = 5_000_000 as UInt64

    private let pool: DatabasePool
    /// Held for as long as anything may be written.
    private let directory: StoreDirectory
    private let catchUp: UInt64
    private let bytesLimit: Int
    private let waiting = NIOLockedValueBox(Waiting())
    private let queue = DispatchQueue(label: "lifeline.store.writer", qos: .userInitiated)

    init(pool: DatabasePool, directory: StoreDirectory, catchUp: UInt64, bytesLimit: Int = 64 << 20) {
        self.pool = pool
        self.directory = directory
        self.catchUp = catchUp
        self.bytesLimit = bytesLimit
    }

    func append(_ message: StoredMessage, application: String, completion: @escaping Completion) {
        submit { waiting in
            // Told in turn, so that completions keep the order of the calls.
            guard !waiting.isClosed else { return .refusal(completion, .closed) }
            guard waiting.bytes < self.bytesLimit else { return .refusal(completion, .overloaded) }
            waiting.bytes += Self.cost(message)
            return .append(message, application: application, completion)
        }
    }

    /// Does `work` in its turn, in a transaction unless it needs none.
    func perform<Value: Sendable>(
        inTransaction: Bool = true, _ work: @escaping @Sendable (Database) throws -> Value
    ) async throws(MessageStoreError) -> Value {
        let file = directory.databaseFile
        let result: Result<Value, MessageStoreError> = await withCheckedContinuation { continuation in
            submit { waiting in
                let isClosed = waiting.isClosed
                return .work { database in
                    guard !isClosed else { return continuation.resume(returning: .failure(.closed)) }
                    let result = Result { inTransaction ? try Self.transaction(database, work) : try work(database) }
                    continuation.resume(returning: result.mapError { MessageStoreError($0, file: file) })
                }
            }
        }
        return try result.get()
    }

    /// Whether anything is being written or waits for it.
    var isBusy: Bool { waiting.withLockedValue { $0.isDraining } }

    /// Refuses what comes from now on, and returns when everything that came before is written.
    func close() async {
        await withCheckedContinuation { continuation in
            submit { waiting in
                waiting.isClosed = true
                return .work { _ in continuation.resume() }
            }
        }
    }

    private func submit(_ job: (inout Waiting) -> Job) {
        let starts = waiting.withLockedValue { waiting in
            waiting.jobs.append(job(&waiting))
            defer { waiting.isDraining = true }
            return !waiting.isDraining
        }
        if starts { queue.async { self.drain() } }
    }
}

// MARK: - On the writer's thread

extension StoreWriter {
    private func drain() {
        while true {
            let group = takeGroup(limit: Self.groupLimit)
            if !group.isEmpty {
                write(group)
            } else if let work = takeWork() {
                pool.writeWithoutTransaction { work($0) }
            } else if rest() {
                return
            }
        }
    }

    /// Messages that stand first in line.
    private func takeGroup(limit: Int) -> [Job] {
        waiting.withLockedValue { waiting in
            var group: [Job] = []
            while group.count < limit, let job = waiting.jobs.first {
                switch job {
                case .append(let message, _, _): waiting.bytes -= Self.cost(message)
                case .refusal: break
                case .work: return group
                }
                group.append(job)
                waiting.jobs.removeFirst()
            }
            return group
        }
    }

    private func takeWork() -> (@Sendable (Database) -> Void)? {
        waiting.withLockedValue { waiting in
            guard case .work(let work)? = waiting.jobs.first else { return nil }
            waiting.jobs.removeFirst()
            return work
        }
    }

    /// True when nothing waits: the next job starts the thread again.
    private func rest() -> Bool {
        waiting.withLockedValue { waiting in
            waiting.isDraining = !waiting.jobs.isEmpty
            return !waiting.isDraining
        }
    }

    private func write(_ first: [Job]) {
        var outcomes: [(completion: Completion, error: MessageStoreError?)] = []
        pool.writeWithoutTransaction { database in
            var jobs = first
            var written = 0
            do {
                try Self.transaction(database) { database in
                    let end = DispatchTime.now().uptimeNanoseconds + Self.groupTime
                    while !jobs.isEmpty {
                        written = 0
                        for job in jobs {
                            try outcomes.append(write(job, database))
                            written += 1
                        }
                        let room = Self.groupLimit - outcomes.count
                        written = jobs.count
                        guard room > 0, DispatchTime.now().uptimeNanoseconds < end else { break }
                        (jobs, written) = (takeGroup(limit: room), 0)
                    }
                }
            } catch {
                // The whole transaction is lost: what was written, what failed, and what was still to be written.
                let failure = MessageStoreError(error, file: directory.databaseFile)
                outcomes += jobs.dropFirst(written).compactMap(Self.outcome)
                outcomes = outcomes.map { ($0.completion, $0.error ?? failure) }
            }
        }
        for outcome in outcomes { outcome.completion(outcome.error) }
    }

    /// Writes one message. Throws only when that has ended the transaction.
    private func write(_ job: Job, _ database: Database) throws -> (Completion, MessageStoreError?) {
        switch job {
        case .append(let message, let application, let completion):
            do {
                try MessageRow.insert(message, application: application, catchUp: catchUp, into: database)
                return (completion, nil)
            } catch {
                guard database.isInsideTransaction else { throw error }
                return (completion, MessageStoreError(error, file: directory.databaseFile))
            }
        case .refusal(let completion, let error): return (completion, error)
        case .work: return ({ _ in }, nil)
        }
    }

    /// What a job that was not written leads to, before the reason is filled in.
    private static func outcome(_ job: Job) -> (completion: Completion, error: MessageStoreError?)? {
        switch job {
        case .append(_, _, let completion): (completion, nil)
        case .refusal(let completion, let error): (completion, error)
        case .work: nil
        }
    }

    private static func transaction<Value>(_ database: Database, _ work: (Database) throws -> Value) throws -> Value {
        try database.beginTransaction(.immediate)
        do {
            let value = try work(database)
            try database.commit()
            return value
        } catch {
            if database.isInsideTransaction { try database.rollback() }
            throw error
        }
    }

    private static func cost(_ message: StoredMessage) -> Int {
        message.payload.count + (message.metadata?.count ?? 0) + 256
    }
}
