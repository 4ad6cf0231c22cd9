import NIOConcurrencyHelpers
import ServerValues

/// Gives out the growing ids of a service, such as PubNub's timetokens, and keeps them reserved in its store ahead of time (rules HB-20
/// and HB-21). All applications of a backend share one.
package final class TimetokenAllocator: Sendable {
    private let clock: NIOLockedValueBox<TimetokenClock>
    private let unixTicks: @Sendable () -> UInt64
    private let reserve: @Sendable (UInt64) async throws -> Void

    /// - Parameters:
    ///   - highest: the highest id of before the start; ids begin after it.
    ///   - reserves: whether ids have to be reserved. Without a store that outlives the server they have not.
    ///   - step: how far an id is at least behind the one before.
    ///   - unixTicks: units of 100 ns since 1970.
    ///   - reserve: has the store remember that ids up to this one may be given out.
    package init(
        after highest: UInt64, reserves: Bool = true, step: UInt64 = 1, unixTicks: @escaping @Sendable () -> UInt64,
        reserve: @escaping @Sendable (UInt64) async throws -> Void
    ) {
        clock = NIOLockedValueBox(TimetokenClock(after: highest, reserves: reserves, step: step))
        self.unixTicks = unixTicks
        self.reserve = reserve
    }

    /// Units of 100 ns since 1970, by the machine's clock.
    package var now: UInt64 { unixTicks() }

    /// Milliseconds since 1970, by the machine's clock.
    package var milliseconds: Int64 { Int64(clamping: unixTicks() / TimetokenClock.ticksPerMillisecond) }

    /// The highest id given out.
    package var last: UInt64 { clock.withLockedValue(\.last) }

    /// The time that clients are told: after every id that is given out, whichever application has it, so that a history that starts
    /// before this time includes the newest message. With steps of two, the next id of the application with the highest one comes after this
    /// time, so that a client that reads on from it misses none of its messages (rule HB-22). It gives out no id.
    package var time: UInt64 {
        let highest = clock.withLockedValue(\.highest)
        return max(max(unixTicks(), 1) - 1, min(highest, UInt64(Int64.max) - 1) + 1)
    }

    /// The next id.
    ///
    /// - Parameter floor: an id that it has to come after. Other applications do not follow it.
    package func next(after floor: UInt64 = 0) -> UInt64 {
        let now = unixTicks()
        let (id, limit) = clock.withLockedValue { ($0.next(at: now, after: floor), $0.reservation(at: now)) }
        if let limit { Task { try? await confirm(limit) } }
        return id
    }

    /// Notes an id that another process has given out, so that ``time`` is after it.
    package func note(_ id: UInt64) {
        clock.withLockedValue { $0.note(id) }
    }

    /// Whether an id is ahead of the clock by no more than `limit`.
    package func isNear(_ id: UInt64, within limit: UInt64) -> Bool {
        let now = unixTicks()
        return id <= now || id - now <= limit
    }

    /// Moves all applications past an id that a server knows; false when it is too far ahead to follow.
    package func advance(past id: UInt64) -> Bool {
        let now = unixTicks()
        return clock.withLockedValue { $0.advance(past: id, at: now) }
    }

    /// Reserves ids before the first is given out; throws what the store throws.
    package func prepare() async throws {
        if let limit = missingReservation() { try await confirm(limit) }
    }

    /// Keeps ids reserved while none are given out: the first one after an idle time must not be of the time before (rule HB-21).
    package func sweep() {
        if let limit = missingReservation() { Task { try? await confirm(limit) } }
    }

    private func missingReservation() -> UInt64? {
        let now = unixTicks()
        return clock.withLockedValue { $0.reservation(at: now) }
    }

    private func confirm(_ limit: UInt64) async throws {
        do {
            try await reserve(limit)
            clock.withLockedValue { $0.confirm(limit) }
        } catch {
            clock.withLockedValue { $0.reservationFailed() }
            throw error
        }
    }
}
