import NIOConcurrencyHelpers
import PubNubProtocol
import RealtimeHub

/// What all keysets of a server share: the order of things. Gives out timetokens and keeps the store.
package final class TimetokenAllocator: Sendable {
    let store: any MessageStore
    /// Tells streams apart: 1 while they live on in a durable store, otherwise another number for each start, so that clients see
    /// that the stream which their cursor is from is gone (F60, rule PV-12).
    let region: Int
    private let clock: NIOLockedValueBox<TimetokenClock>
    private let unixTicks: @Sendable () -> UInt64

    init(store: any MessageStore, restored: RestoredState, unixTicks: @escaping @Sendable () -> UInt64) {
        self.store = store
        self.unixTicks = unixTicks
        var clock = TimetokenClock(after: restored.highestTimetoken, reserves: restored.remembersStream)
        // Readers begin at a point that is already past.
        _ = clock.advance(past: unixTicks(), at: unixTicks())
        self.clock = NIOLockedValueBox(clock)
        // Milliseconds: no two starts share one, and the number comes again after 23 days only.
        region = restored.remembersStream ? 1 : 2 + Int(unixTicks() / TimetokenClock.ticksPerMillisecond % 2_000_000_000)
    }

    var now: UInt64 { unixTicks() }

    /// The highest token given out.
    var last: UInt64 { clock.withLockedValue(\.last) }

    /// The next token.
    func next() -> UInt64 {
        let now = unixTicks()
        let (token, limit) = clock.withLockedValue { ($0.next(at: now), $0.reservation(at: now)) }
        if let limit { Task { await reserve(limit) } }
        return token
    }

    /// Moves past the cursor of a client that is ahead; false when it is too far ahead to follow.
    func advance(past cursor: UInt64) -> Bool {
        let now = unixTicks()
        return clock.withLockedValue { $0.advance(past: cursor, at: now) }
    }

    /// Reserves tokens before the first is given out.
    func prepare() async throws {
        let now = unixTicks()
        guard let limit = clock.withLockedValue({ $0.reservation(at: now) }) else { return }
        try await store.reserve(timetokensUpTo: limit)
        clock.withLockedValue { $0.confirm(limit) }
    }

    /// Keeps tokens reserved while none are given out: the first one after an idle time must not be of the time before (rule HB-21).
    func sweep() {
        let now = unixTicks()
        if let limit = clock.withLockedValue({ $0.reservation(at: now) }) { Task { await reserve(limit) } }
    }

    private func reserve(_ limit: UInt64) async {
        do {
            try await store.reserve(timetokensUpTo: limit)
            clock.withLockedValue { $0.confirm(limit) }
        } catch {
            clock.withLockedValue { $0.reservationFailed() }
        }
    }
}
