import NIOConcurrencyHelpers
import RealtimeHub

/// What all chat applications of a backend share: the order of things. Gives out the ids of events and keeps the store.
package final class ChatIDAllocator: Sendable {
    let store: any ChatStore
    /// Names the life of all inboxes (session document, section 1).
    let epoch: String
    private let clock: NIOLockedValueBox<TimetokenClock>
    private let unixTicks: @Sendable () -> UInt64

    init(store: any ChatStore, restored: RestoredChat, unixTicks: @escaping @Sendable () -> UInt64) {
        self.store = store
        self.unixTicks = unixTicks
        epoch = restored.epoch
        clock = NIOLockedValueBox(TimetokenClock(after: restored.highestID, reserves: true))
    }

    /// Units of 100 ns since 1970, by the machine's clock.
    var now: UInt64 { unixTicks() }

    /// Milliseconds since 1970, by the machine's clock.
    var milliseconds: Int64 { Int64(clamping: unixTicks() / TimetokenClock.ticksPerMillisecond) }

    /// The next id of an event.
    func next() -> UInt64 {
        let now = unixTicks()
        let (id, limit) = clock.withLockedValue { ($0.next(at: now), $0.reservation(at: now)) }
        if let limit { Task { await reserve(limit) } }
        return id
    }

    /// Reserves ids before the first is given out.
    func prepare() async throws {
        let now = unixTicks()
        guard let limit = clock.withLockedValue({ $0.reservation(at: now) }) else { return }
        try await store.reserve(idsUpTo: limit)
        clock.withLockedValue { $0.confirm(limit) }
    }

    /// Keeps ids reserved while none are given out: the first one after an idle time must not be of the time before (rule HB-21).
    func sweep() {
        let now = unixTicks()
        if let limit = clock.withLockedValue({ $0.reservation(at: now) }) { Task { await reserve(limit) } }
    }

    private func reserve(_ limit: UInt64) async {
        do {
            try await store.reserve(idsUpTo: limit)
            clock.withLockedValue { $0.confirm(limit) }
        } catch {
            clock.withLockedValue { $0.reservationFailed() }
        }
    }
}
