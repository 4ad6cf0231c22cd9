import ServerValues

/// Counts the connections of each address, and limits their number and the rate of new ones (rule SV-50). A value.
///
/// An address is in the table while it has a connection or until its burst is fully available again. Other addresses are removed at the
/// latest when the number of addresses has doubled. So the table's size stays proportional to the number of open connections, and counting
/// a connection takes constant time.
package struct AddressLimits: Sendable {
    /// The largest number of simultaneous connections of one address; nil for no limit.
    package let maximum: Int?
    /// The number of new connections per second of one address; a burst of ``burstSeconds`` times as many is allowed. Nil for no limit.
    package let rate: Int?

    private struct Entry {
        var connections = 0
        /// The time in nanoseconds at which the address's burst is fully available again.
        var isFullAt: Int64
    }

    private var entries: [RemoteAddress: Entry] = [:]
    private var nextSweep = Self.smallest

    /// The size of a burst: five seconds' worth of connections, because clients reconnect together after an outage.
    package static let burstSeconds = 5
    /// The number of addresses up to which the table is not searched for removable entries.
    package static let smallest = 1024

    /// Makes an empty table. A `maximum` or `rate` of zero means no limit.
    package init(maximum: Int, rate: Int) {
        self.maximum = maximum > 0 ? maximum : nil
        self.rate = rate > 0 ? rate : nil
    }

    /// The number of addresses in the table.
    package var count: Int { entries.count }

    /// Counts a connection; returns false, without counting, when the limit of its address is reached.
    package mutating func open(_ address: RemoteAddress, at now: MonotonicInstant) -> Bool {
        var entry = entries[address] ?? Entry(isFullAt: now.nanoseconds)
        if let maximum, entry.connections >= maximum { return false }
        if let rate {
            let interval = max(1_000_000_000 / Int64(rate), 1)
            let due = max(entry.isFullAt, now.nanoseconds) + interval
            guard due - now.nanoseconds <= interval * Int64(rate) * Int64(Self.burstSeconds) else { return false }
            entry.isFullAt = due
        }
        entry.connections += 1
        entries[address] = entry
        if entries.count > nextSweep { sweep(at: now) }
        return true
    }

    /// Counts that a connection of this address has closed.
    package mutating func close(_ address: RemoteAddress, at now: MonotonicInstant) {
        guard var entry = entries[address] else { return }
        entry.connections = max(entry.connections - 1, 0)
        entries[address] = entry.connections == 0 && entry.isFullAt <= now.nanoseconds ? nil : entry
    }

    private mutating func sweep(at now: MonotonicInstant) {
        entries = entries.filter { $0.value.connections > 0 || $0.value.isFullAt > now.nanoseconds }
        nextSweep = max(Self.smallest, entries.count * 2)
    }
}
