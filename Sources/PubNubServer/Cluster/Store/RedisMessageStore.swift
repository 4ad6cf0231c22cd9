import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerStorage

/// The limits of the PubNub data that a cluster keeps in Redis.
package struct RedisStoreSettings: Hashable, Sendable {
    /// How long messages are kept for readers that catch up, in units of 100 ns; the default is 20 minutes.
    package var catchUp: UInt64
    /// The approximate limit of the number of a keyset's recent messages; `recentBytes` is the limit of their size in bytes.
    package var recentMessages: Int
    package var recentBytes: Int
    /// Whether a database stores the durable data, so that Redis stores only recent messages and presence.
    package var hasDatabase = false

    package init(
        catchUp: UInt64 = 1200 * TimetokenClock.ticksPerSecond, recentMessages: Int = 200_000, recentBytes: Int = 256 << 20
    ) {
        self.catchUp = catchUp
        self.recentMessages = recentMessages
        self.recentBytes = recentBytes
    }
}

/// The error when the cluster's log no longer accepts this leader's writes, because another node leads.
struct RedisStoreClosed: Error, Hashable, Sendable {}

/// Stores messages and their data in a cluster's Redis. Only the leader uses it: writes are part of the log's batches, and reads are
/// separate commands (rules CB-1 to CB-5).
///
/// Timetokens are stored as entry numbers of streams, which are 64-bit integers. They are never used as scores of sorted sets, because
/// Redis keeps scores as floating-point numbers.
package final class RedisMessageStore: MessageStore {
    let keys: RedisStreamKeys
    let reader: any ClusterReader
    let settings: RedisStoreSettings
    let now: @Sendable () -> UInt64
    /// Whether Redis has lost data that it had confirmed.
    let hasLost: Bool
    let term: CountedEntries.Term
    private let output: any ClusterOutput
    let state = NIOLockedValueBox(State())
    /// Serializes the operations of a keyset that first read which messages are counted and then change this. Meanwhile new messages may be
    /// added.
    let counting = ExclusiveSections()

    struct State: Sendable {
        /// The number of calls of ``emit(completion:_:)`` so far. The writes of these calls are stored in the order of the calls; `kept` is
        /// the number of the last call whose writes are stored.
        var emitted: UInt64 = 0
        var kept: UInt64 = 0
        var isClosed = false
        var waiters: [(number: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
        var keysets: [Identifier: RedisKeysetWriter] = [:]
        /// The position of the last access manager entry in the order in which entries were first stored.
        var accessOrder: UInt64 = 0
    }

    /// If Redis has lost data, the timetokens that were assigned last are unknown. New timetokens then begin this much after the highest
    /// known one, in units of 100 ns.
    static let leap = 10 * TimetokenClock.ticksPerSecond

    /// - Parameters:
    ///   - hasLost: whether Redis has lost data that it had confirmed; cursors from before ``restore()`` then get a gap.
    ///   - term: identifies this leader and the previous one, whose totals of counted messages this leader continues.
    ///   - now: the current time in units of 100 ns.
    package init(
        output: any ClusterOutput, reader: any ClusterReader, settings: RedisStoreSettings = RedisStoreSettings(),
        hasLost: Bool = false, term: CountedEntries.Term = .init(), now: @escaping @Sendable () -> UInt64
    ) {
        self.output = output
        self.reader = reader
        self.settings = settings
        self.hasLost = hasLost
        self.term = term
        self.now = now
        keys = RedisStreamKeys(reader: reader)
    }

    // MARK: Emissions

    /// Adds writes to Redis and at most one fact for the nodes to the next batch of the cluster's log.
    ///
    /// - Parameter make: makes the fact and the writes. The calls are made in the order in which their results are stored.
    /// - Returns: the number of this call, for ``wait(for:)``; nil when the store is closed.
    @discardableResult
    func emit(
        completion: (@Sendable (Bool) -> Void)? = nil, _ make: (inout State) -> (fact: ByteBuffer?, writes: [StoreWrite])
    ) -> UInt64? {
        let number: UInt64? = state.withLockedValue { state in
            guard !state.isClosed else { return nil }
            let (fact, writes) = make(&state)
            state.emitted += 1
            let number = state.emitted
            output.emit(fact, of: .pubnub, to: .all, writes: writes) { [weak self] isKept in
                self?.settle(number, isKept: isKept)
                completion?(isKept)
            }
            return number
        }
        if number == nil { completion?(false) }
        return number
    }

    /// Waits until the writes of the call of ``emit(completion:_:)`` with this number are stored.
    ///
    /// - Throws: an error when the store was closed, so that it is unknown whether the writes were stored.
    func wait(for number: UInt64?) async throws {
        guard let number else { throw RedisStoreClosed() }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let isOver: Bool? = state.withLockedValue { state in
                if state.kept >= number { return true }
                if state.isClosed { return false }
                state.waiters.append((number, continuation))
                return nil
            }
            switch isOver {
            case true?: continuation.resume()
            case false?: continuation.resume(throwing: RedisStoreClosed())
            case nil: break
            }
        }
    }

    /// Waits until the writes of all earlier calls of ``emit(completion:_:)`` are stored.
    func flush() async throws {
        try await wait(for: state.withLockedValue { $0.emitted })
    }

    func perform(_ writes: [StoreWrite]) async throws {
        try await wait(for: emit { _ in (nil, writes) })
    }

    private func settle(_ number: UInt64, isKept: Bool) {
        guard isKept else { return abandon(number) }
        let ready = state.withLockedValue { state in
            state.kept = max(state.kept, number)
            let ready = state.waiters.filter { $0.number <= number }
            if !ready.isEmpty { state.waiters.removeAll { $0.number <= number } }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Gives an error to the callers that wait for the writes with this number, because these writes were not stored.
    private func abandon(_ number: UInt64) {
        let failed = state.withLockedValue { state in
            let failed = state.waiters.filter { $0.number == number }
            state.waiters.removeAll { $0.number == number }
            return failed
        }
        for waiter in failed { waiter.continuation.resume(throwing: RedisStoreClosed()) }
    }

    /// Closes the store at once without writing. Waiting callers get an error, because the outcome of their writes is unknown.
    func abandon() {
        let waiters = state.withLockedValue { state in
            state.isClosed = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(throwing: RedisStoreClosed()) }
    }

    package func close() async {
        // An error of the flush is ignored, because ``abandon()`` reports an error to all callers whose writes were not stored.
        try? await flush()
        abandon()
    }
}
