import DequeModule
import Dispatch
import GRDB
import NIOConcurrencyHelpers
import ServerStorage

/// Converts a writer's items to rows. Its methods are called only on the writer's thread, except for `cost`.
protocol StoreRows: Sendable {
    associatedtype Item: Sendable

    /// The approximate memory of a queued item in bytes.
    func cost(of item: Item) -> Int
    /// Writes an item within a transaction. The transaction may fail later, even if this call succeeds.
    func write(_ item: Item, into database: Database) throws
    /// Adds the number and bytes of new items to the counts of their histories, within the transaction that has written the items.
    func count(_ items: [Item], into database: Database) throws
    /// Called after a transaction has failed: all rows that were written since the last successful transaction are lost.
    func transactionFailed()
}

/// The only writer of a database: it accepts work from any thread, performs it in order on a separate thread, and combines consecutive
/// items in one transaction (rule HB-43).
///
/// A transaction ends when nothing else waits, when it has `groupLimit` items, or after `groupTime`. So a single item is committed at once,
/// and under load items share the cost of a commit.
final class StoreWriter<Rows: StoreRows>: Sendable {
    private enum Job: Sendable {
        case append(Rows.Item, Completion)
        /// An item that was refused, for example because the queue is full. Its completion is called in the order of the queue.
        case refusal(Completion, MessageStoreError)
        /// Work that uses transactions of its own and calls its own completions.
        case work(@Sendable (Database) -> Void)

        var isAppend: Bool { if case .append = self { true } else { false } }
    }

    private struct Waiting: Sendable {
        var jobs = Deque<Job>()
        var bytes = 0
        var isDraining = false
        var isClosed = false
    }

    private struct Outage: Sendable {
        var error: MessageStoreError
        /// When the latest failure to write occurred, in nanoseconds of the monotonic clock.
        var time: UInt64
    }

    typealias Completion = @Sendable ((any Error)?) -> Void

    private static var outageTime: UInt64 { 30_000_000_000 }
    static var groupLimit: Int { 1000 }
    static var groupTime: UInt64 { 5_000_000 }

    private let pool: DatabasePool
    /// Locks the directory for as long as this writer exists.
    private let directory: StoreDirectory
    private let rows: Rows
    private let bytesLimit: Int
    private let waiting = NIOLockedValueBox(Waiting())
    private let outage = NIOLockedValueBox<Outage?>(nil)
    private let queue = DispatchQueue(label: "lifeline.store.writer", qos: .userInitiated)

    init(pool: DatabasePool, directory: StoreDirectory, rows: Rows, bytesLimit: Int = 64 << 20) {
        self.pool = pool
        self.directory = directory
        self.rows = rows
        self.bytesLimit = bytesLimit
    }

    func append(_ item: Rows.Item, completion: @escaping Completion) {
        let cost = rows.cost(of: item)
        submit { waiting in
            // A refused item is put into the queue, too, so that completions are called in the order of the calls.
            guard !waiting.isClosed else { return .refusal(completion, .closed) }
            guard waiting.bytes < self.bytesLimit else { return .refusal(completion, .overloaded) }
            waiting.bytes += cost
            return .append(item, completion)
        }
    }

    /// Performs `work` in the order of the queue, within a transaction unless `inTransaction` is false.
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

    /// Stores the limit up to which ids may be assigned. The stored limit survives a power failure with every ``Durability``.
    func reserve(_ limit: UInt64, durability: Durability) async throws(MessageStoreError) {
        do throws(MessageStoreError) {
            try await perform(inTransaction: false) { database in
                try database.execute(sql: "PRAGMA synchronous = FULL")
                // An error is ignored: if the durability cannot be set back, later writes are only more durable than requested.
                defer { try? database.execute(sql: "PRAGMA synchronous = \(durability.pragma)") }
                try database.execute(
                    sql: "INSERT OR REPLACE INTO reservation (id, timetoken) VALUES (1, ?)", arguments: [Int64(clamping: limit)])
            }
            noteReservation(nil)
        } catch {
            noteReservation(error)
            throw error
        }
    }

    /// Why the latest items could not be stored; nil when they were stored (rule SO-169).
    var failure: MessageStoreError? { outage.withLockedValue { $0?.error } }

    /// Called after a transaction of items. Records whether the database works; an error that concerns only one item is ignored.
    private func note(_ error: MessageStoreError?) {
        guard let error else { return outage.withLockedValue { $0 = nil } }
        guard error.isOutage else { return }
        outage.withLockedValue { $0 = Outage(error: error, time: DispatchTime.now().uptimeNanoseconds) }
    }

    /// Records whether the latest limit of ids could be stored. Storing a limit replaces one small row, so a success does not prove that
    /// the disk has space. Still, a success ends an outage whose latest failure is at least half a minute old. Otherwise the outage might
    /// never end: a server in an outage reports that it is not ready, so it may get no items whose success would end the outage.
    private func noteReservation(_ error: MessageStoreError?) {
        guard error == nil else { return note(error) }
        let now = DispatchTime.now().uptimeNanoseconds
        outage.withLockedValue { outage in
            if let time = outage?.time, now - min(time, now) >= Self.outageTime { outage = nil }
        }
    }

    /// Whether an item is being written or waits to be written.
    var isBusy: Bool { waiting.withLockedValue { $0.isDraining } }

    var isClosed: Bool { waiting.withLockedValue { $0.isClosed } }

    /// Refuses further calls, and returns when all earlier work is written to the database file (rule HB-69).
    ///
    /// GRDB does not delete the write-ahead log when the last connection closes. If this log had content, a copy of the database file alone
    /// would be incomplete, and SQLite would apply the log to any database file that replaces this one.
    func close() async {
        await withCheckedContinuation { continuation in
            submit { waiting in
                // Only the first call writes a checkpoint, because the first call closes the database afterwards.
                let isFirst = !waiting.isClosed
                waiting.isClosed = true
                return .work { database in
                    // An error is ignored: if the disk is full, the write-ahead log keeps its content.
                    if isFirst { _ = try? database.checkpoint(.truncate) }
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
        if starts { queue.async { self.drain() } }
    }
}

// MARK: - Methods that run on the writer's thread

extension StoreWriter {
    private func drain() {
        while true {
            if let first = takeAppend() {
                writeGroup(first)
            } else if let work = takeWork() {
                pool.writeWithoutTransaction { work($0) }
            } else if rest() {
                return
            }
        }
    }

    /// Removes and returns the next job if it is an item or a refusal. Returns nil when the next job is work that needs the database
    /// exclusively, or when no job waits.
    private func takeAppend() -> Job? {
        waiting.withLockedValue { waiting in
            switch waiting.jobs.first {
            case .append(let item, _): waiting.bytes -= rows.cost(of: item)
            case .refusal: break
            case .work, nil: return nil
            }
            return waiting.jobs.removeFirst()
        }
    }

    private func takeWork() -> (@Sendable (Database) -> Void)? {
        waiting.withLockedValue { waiting in
            guard case .work(let work)? = waiting.jobs.first else { return nil }
            waiting.jobs.removeFirst()
            return work
        }
    }

    /// Returns true when no job waits; the thread then ends, and the next job starts it again.
    private func rest() -> Bool {
        waiting.withLockedValue { waiting in
            waiting.isDraining = !waiting.jobs.isEmpty
            return !waiting.isDraining
        }
    }

    private func writeGroup(_ first: Job) {
        var group = [first]
        // The failure of each item; nil when all items were stored.
        var failures: [MessageStoreError?]?
        pool.writeWithoutTransaction { database in
            let end = DispatchTime.now().uptimeNanoseconds + Self.groupTime
            do {
                try Self.transaction(database) { database in
                    try write(first, database)
                    while group.count < Self.groupLimit, DispatchTime.now().uptimeNanoseconds < end, let job = takeAppend() {
                        group.append(job)
                        try write(job, database)
                    }
                    try count(group, database)
                }
            } catch {
                rows.transactionFailed()
                failures =
                    Self.concernsOneItem(error)
                    ? group.map { writeAlone($0, database) }
                    : Array(repeating: MessageStoreError(error, file: directory.databaseFile), count: group.count)
            }
        }
        if group.contains(where: \.isAppend) { note(failures?.lazy.compactMap { $0 }.first { $0.isOutage }) }
        for (index, job) in group.enumerated() {
            switch job {
            case .append(_, let completion): completion(failures?[index])
            case .refusal(let completion, let error): completion(error)
            case .work: break
            }
        }
    }

    private func write(_ job: Job, _ database: Database) throws {
        if case .append(let item, _) = job { try rows.write(item, into: database) }
    }

    private func count(_ group: [Job], _ database: Database) throws {
        let items = group.compactMap { job in
            if case .append(let item, _) = job { item } else { nil }
        }
        if !items.isEmpty { try rows.count(items, into: database) }
    }

    /// Writes one item in a transaction of its own. After a transaction of several items has failed, this is done for each of them, so that
    /// an item that cannot be written does not affect the others.
    private func writeAlone(_ job: Job, _ database: Database) -> MessageStoreError? {
        do {
            try Self.transaction(database) { database in
                try write(job, database)
                try count([job], database)
            }
            return nil
        } catch {
            rows.transactionFailed()
            return MessageStoreError(error, file: directory.databaseFile)
        }
    }

    /// Whether the error was caused by an item, not by the disk.
    private static func concernsOneItem(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return true }
        return error.resultCode == .SQLITE_CONSTRAINT
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
}
