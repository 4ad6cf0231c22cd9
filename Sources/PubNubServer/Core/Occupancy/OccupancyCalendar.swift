import DequeModule
import HeapModule
import Identifiers
import ServerValues

/// A set of keys with deadlines, grouped in time slots of equal length. Every change takes a constant number of steps, independent of the
/// number of entries, except for inserting a new slot (rule HB-64).
///
/// A new entry with the same key replaces the earlier one, so the calendar has no outdated entries.
struct OccupancyCalendar<Key: Hashable & Comparable & Sendable>: Sendable {
    /// The length of a slot in nanoseconds. All entries of a slot are due at its end.
    private let length: Int64
    private var slots: [Int64: Set<Key>] = [:]
    /// The numbers of the slots, earliest first. When a slot has become empty, its number stays in the heap until the slot is due.
    private var order = Heap<Int64>()
    /// The remaining entries of the slot that is being processed.
    private var ready = Deque<Key>()
    private var readySlot: Int64 = 0
    /// The number of changes so far, for tests that count work.
    private(set) var steps = 0

    /// The largest number of entries with which a slot is sorted before it is processed. The entries of a larger slot are processed in any
    /// order, because sorting them would take too long.
    private static var sortedEntries: Int { 1024 }

    init(length: Duration) {
        self.length = max(1, length.wholeNanoseconds)
    }

    mutating func insert(_ key: Key, at instant: MonotonicInstant) {
        steps += 1
        let slot = slot(of: instant)
        if let index = slots.index(forKey: slot) {
            slots.values[index].insert(key)
        } else {
            slots[slot] = [key]
            order.insert(slot)
        }
    }

    mutating func remove(_ key: Key, at instant: MonotonicInstant) {
        steps += 1
        slots[slot(of: instant)]?.remove(key)
    }

    /// The deadline of the next entry that is due, which is the end of the entry's slot; nil when no entry is due at `now`.
    mutating func nextDue(at now: MonotonicInstant) -> MonotonicInstant? {
        if !ready.isEmpty { return end(of: readySlot) }
        while let slot = order.min, end(of: slot) <= now {
            if slots[slot]?.isEmpty == false { return end(of: slot) }
            order.removeMin()
            slots[slot] = nil
        }
        return nil
    }

    /// Removes and returns the entry that ``nextDue(at:)`` has found; nil when the slot has become empty.
    mutating func takeNext() -> Key? {
        steps += 1
        if ready.isEmpty, let slot = order.popMin() {
            let keys = slots.removeValue(forKey: slot) ?? []
            ready = Deque(keys.count <= Self.sortedEntries ? keys.sorted() : Array(keys))
            readySlot = slot
        }
        return ready.popFirst()
    }

    private func slot(of instant: MonotonicInstant) -> Int64 {
        let (quotient, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: length)
        return rest > 0 ? quotient + 1 : quotient
    }

    private func end(of slot: Int64) -> MonotonicInstant {
        let (product, overflow) = slot.multipliedReportingOverflow(by: length)
        return MonotonicInstant(nanoseconds: overflow ? .max : product)
    }
}

/// One user's presence on a channel. The number distinguishes it from earlier and later presences of the same user.
struct OccupancyStay: Hashable, Comparable, Sendable {
    let number: UInt64
    let channel: Identifier
    let user: Identifier

    static func == (left: OccupancyStay, right: OccupancyStay) -> Bool { left.number == right.number }
    static func < (left: OccupancyStay, right: OccupancyStay) -> Bool { left.number < right.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// A user and a channel, as the key of a state that was set while the user was absent, or of a recorded change.
struct OccupancyPlace: Hashable, Comparable, Sendable {
    let channel: Identifier
    let user: Identifier

    static func < (left: OccupancyPlace, right: OccupancyPlace) -> Bool {
        left.channel == right.channel ? left.user < right.user : left.channel < right.channel
    }
}
