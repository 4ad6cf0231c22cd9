import ServerValues

/// The number of connections of each address, and the number that it may open now (rule SV-50). A value.
///
/// The table contains the addresses that have a connection, and also those that had one until their burst is fully available again.
/// The latter are searched and removed when the table has doubled, so its size is proportional to the number of open connections,
/// and a connection takes constant time.
package struct AddressLimits: Sendable {
    /// The largest number of simultaneous connections of one address; nil for no limit.
    package let maximum: Int?
    /// The number of new connections of one address per second, with a burst of ``burstSeconds`` times as many; nil for no limit.
    package let rate: Int?

    private struct Entry {
        var connections = 0
        /// When the burst of the address is fully available again, in ns.
        var isFullAt: Int64
    }

    private var entries: [RemoteAddress: Entry] = [:]
    private var nextSweep = Self.smallest

    /// The size of a burst in seconds, because clients reconnect together after an outage.
    package static let burstSeconds = 5
    /// The table is not searched while it has at most this number of addresses.
    package static let smallest = 1024

    /// For both limits, zero means no limit.
    package init(maximum: Int, rate: Int) {
        self.maximum = maximum > 0 ? maximum : nil
        self.rate = rate > 0 ? rate : nil
    }

    /// The number of stored addresses.
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

    /// Releases a closed connection.
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
