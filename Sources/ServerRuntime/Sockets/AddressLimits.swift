import ServerValues

/// How many connections each address has, and how many more it may open now (rule SV-50). A value.
///
/// Holds the addresses that have a connection, and for the moment until they may open a whole burst again those that had one. The latter
/// are looked through when the table has doubled, so its size follows the number of open connections and a connection costs the same
/// however many addresses there are.
package struct AddressLimits: Sendable {
    /// Connections of one address at a time; nil for no limit.
    package let maximum: Int?
    /// New connections of one address in a second, and ``burstSeconds`` times as many at once; nil for no limit.
    package let rate: Int?

    private struct Entry {
        var connections = 0
        /// When the address may open a whole burst again, ns.
        var isFullAt: Int64
    }

    private var entries: [RemoteAddress: Entry] = [:]
    private var nextSweep = Self.smallest

    /// Clients that lost their network come back together.
    package static let burstSeconds = 5
    /// The table is not looked through while it has no more addresses.
    package static let smallest = 1024

    /// Zero means no limit.
    package init(maximum: Int, rate: Int) {
        self.maximum = maximum > 0 ? maximum : nil
        self.rate = rate > 0 ? rate : nil
    }

    /// How many addresses are remembered.
    package var count: Int { entries.count }

    /// Counts a connection; false when its address may not have another now, and nothing is counted then.
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

    /// Gives the place of a connection back.
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
