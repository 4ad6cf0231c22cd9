import DequeModule
import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import RealtimeHub
import RedisClient
import ServerCluster

/// The limits of a store in Redis.
package struct RedisStoreSettings: Hashable, Sendable {
    /// How long messages are kept for readers that catch up, in units of 100 ns; 20 minutes.
    package var catchUp: UInt64
    /// Messages of a keyset that are kept for that long at most, and their bytes, roughly.
    package var recentMessages: Int
    package var recentBytes: Int

    package init(
        catchUp: UInt64 = 1200 * TimetokenClock.ticksPerSecond, recentMessages: Int = 200_000, recentBytes: Int = 256 << 20
    ) {
        self.catchUp = catchUp
        self.recentMessages = recentMessages
        self.recentBytes = recentBytes
    }
}

/// Redis does not keep what the leader decides any more, because another node leads.
struct RedisStoreClosed: Error, Hashable, Sendable {}

/// Stores messages and their data in the Redis of a cluster. Only the leader uses it: its writes are part of the log's batches, and its
/// reads are separate (rules CB-1 to CB-5).
///
/// Timetokens are the ids of Redis's streams, which are integers of 64 bits. They are never scores or numbers of scripts, which are
/// floating-point numbers there.
package final class RedisMessageStore: MessageStore {
    let keys: RedisStreamKeys
    let reader: any ClusterReader
    let settings: RedisStoreSettings
    let now: @Sendable () -> UInt64
    /// Whether Redis has lost data that it had confirmed.
    let hasLost: Bool
    private let output: any ClusterOutput
    let state = NIOLockedValueBox(State())

    struct State: Sendable {
        /// Emissions are numbered, and stored in this order.
        var emitted: UInt64 = 0
        var kept: UInt64 = 0
        var isClosed = false
        var waiters: [(number: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
        var keysets: [Identifier: RedisKeysetWriter] = [:]
        /// The place of the last entry of the access manager.
        var accessOrder: UInt64 = 0
    }

    /// How far beyond everything that is known timetokens begin after a loss, since those that were given out last are not known.
    static let leap = 10 * TimetokenClock.ticksPerSecond

    /// - Parameters:
    ///   - hasLost: whether Redis has lost what it had confirmed: cursors from before ``restore()`` get a gap.
    ///   - now: the time of day in units of 100 ns.
    package init(
        output: any ClusterOutput, reader: any ClusterReader, settings: RedisStoreSettings = RedisStoreSettings(),
        hasLost: Bool = false, now: @escaping @Sendable () -> UInt64
    ) {
        self.output = output
        self.reader = reader
        self.settings = settings
        self.hasLost = hasLost
        self.now = now
        keys = RedisStreamKeys(reader: reader)
    }

    // MARK: Emissions

    /// Adds writes to the log's batch, with one fact.
    ///
    /// - Parameter make: makes both, in the order in which they are kept.
    /// - Returns: the number of the emission; nil when the store is closed.
    @discardableResult
    func emit(
        completion: (@Sendable (Bool) -> Void)? = nil, _ make: (inout State) -> (fact: ByteBuffer?, writes: [RedisCommand])
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

    /// Waits until an emission is stored.
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

    /// Waits until everything that was emitted so far is stored.
    func flush() async throws {
        try await wait(for: state.withLockedValue { $0.emitted })
    }

    func perform(_ writes: [RedisCommand]) async throws {
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

    /// An emission was not stored.
    private func abandon(_ number: UInt64) {
        let failed = state.withLockedValue { state in
            let failed = state.waiters.filter { $0.number == number }
            state.waiters.removeAll { $0.number == number }
            return failed
        }
        for waiter in failed { waiter.continuation.resume(throwing: RedisStoreClosed()) }
    }

    /// Ends at once without writing: waiting callers get an error that the outcome is unknown.
    func abandon() {
        let waiters = state.withLockedValue { state in
            state.isClosed = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(throwing: RedisStoreClosed()) }
    }

    package func close() async {
        // Callers that wait for something that cannot be stored are answered by ``abandon()``.
        try? await flush()
        abandon()
    }
}
