import NIOConcurrencyHelpers
import ServerValues

/// Assigns the growing ids of a service, such as PubNub's timetokens, and reserves them in the service's store ahead of time (rules HB-20
/// and HB-21). All applications of a backend share one allocator.
package final class TimetokenAllocator: Sendable {
    private let clock: NIOLockedValueBox<TimetokenClock>
    private let unixTicks: @Sendable () -> UInt64
    private let reserve: @Sendable (UInt64) async throws -> Void

    /// - Parameters:
    ///   - highest: the highest id that was assigned before the start; new ids are greater.
    ///   - reserves: whether ids have to be reserved, which is not necessary without a durable store.
    ///   - step: the smallest difference between two ids.
    ///   - share: the subset of ids that this process may assign, when other processes assign the others.
    ///   - unixTicks: the clock, in units of 100 ns since 1970.
    ///   - reserve: makes the store record that ids up to the given one may be assigned.
    package init(
        after highest: UInt64, reserves: Bool = true, step: UInt64 = 1, share: TimetokenShare = .all,
        unixTicks: @escaping @Sendable () -> UInt64, reserve: @escaping @Sendable (UInt64) async throws -> Void
    ) {
        clock = NIOLockedValueBox(TimetokenClock(after: highest, reserves: reserves, step: step, share: share))
        self.unixTicks = unixTicks
        self.reserve = reserve
    }

    /// The time by the machine's clock, in units of 100 ns since 1970.
    package var now: UInt64 { unixTicks() }

    /// The time by the machine's clock, in milliseconds since 1970.
    package var milliseconds: Int64 { Int64(clamping: unixTicks() / TimetokenClock.ticksPerMillisecond) }

    /// The highest assigned id.
    package var last: UInt64 { clock.withLockedValue(\.last) }

    /// The time that the server tells clients. It is greater than every id that was assigned to any application, so a history that starts
    /// before this time includes the newest message. With a step of two, the next id of the application with the highest id is greater than
    /// this time. A client that reads from this time on therefore misses no message of that application (rule HB-22). Reading the time
    /// assigns no id.
    package var time: UInt64 {
        let highest = clock.withLockedValue(\.highest)
        return max(max(unixTicks(), 1) - 1, min(highest, UInt64(Int64.max) - 1) + 1)
    }

    /// Assigns the next id.
    ///
    /// - Parameter floor: an id that the new one has to exceed. This does not raise the ids of other applications.
    package func next(after floor: UInt64 = 0) -> UInt64 {
        let now = unixTicks()
        let (id, limit) = clock.withLockedValue { ($0.next(at: now, after: floor), $0.reservation(at: now)) }
        if let limit { Task { try? await confirm(limit) } }
        return id
    }

    /// Records an id that another process has assigned, so that ``time`` becomes greater than that id.
    package func note(_ id: UInt64) {
        clock.withLockedValue { $0.note(id) }
    }

    /// Whether an id is ahead of the clock by no more than `limit`, in units of 100 ns.
    package func isNear(_ id: UInt64, within limit: UInt64) -> Bool {
        let now = unixTicks()
        return id <= now || id - now <= limit
    }

    /// Makes all later ids of all applications greater than an id that a server has seen. Returns false when that id is too far ahead of
    /// the clock.
    package func advance(past id: UInt64) -> Bool {
        let now = unixTicks()
        return clock.withLockedValue { $0.advance(past: id, at: now) }
    }

    /// Reserves ids before the first one is assigned; throws the errors of the store.
    package func prepare() async throws {
        if let limit = missingReservation() { try await confirm(limit) }
    }

    /// Renews the reservation while no ids are assigned, because the first id after an idle time must not be older than the current time
    /// (rule HB-21).
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
