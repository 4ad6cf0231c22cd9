import DequeModule
import Identifiers

/// The name of a queue of messages: of a channel or of a pattern.
package enum StreamName: Hashable, Sendable {
    case channel(Identifier)
    /// The pattern as written, such as `a.*`.
    case pattern(Identifier)

    /// The channel or the pattern.
    var identifier: Identifier {
        switch self {
        case .channel(let name), .pattern(let name): name
        }
    }
}

/// The messages of one queue after one timetoken, up to and including another.
package struct StreamRange: Hashable, Sendable {
    /// The queue.
    package var name: StreamName
    /// The messages follow this timetoken.
    package var after: UInt64
    /// The last timetoken of the range.
    package var upTo: UInt64

    /// Makes a value with these properties.
    package init(_ name: StreamName, after: UInt64, upTo: UInt64) {
        self.name = name
        self.after = after
        self.upTo = upTo
    }
}

/// The queues that a partial copy of streams has, because its readers subscribe to them (rules CB-50 and CB-51).
struct StreamCoverage: Sendable {
    struct Entry: Sendable {
        /// The copy has all messages after this timetoken, except those that its queue has dropped.
        var since: UInt64
        /// Messages up to this timetoken may be missing, because the original does not have them either.
        var dropped: UInt64 = 0
        /// When a reader was last known, in units of 100 ns.
        var used: UInt64
    }

    private var entries: [StreamName: Entry] = [:]
    /// The copy also has all messages of all other queues after this timetoken, and makes no requests (rule CB-58); nil for a copy that
    /// requests what its readers lack.
    var allSince: UInt64?
    /// Whether the original does not answer requests, so that readers get a gap for what the copy lacks. Otherwise they wait.
    var isAlone = false
    /// All names, the one that was examined longest ago first.
    private var order = Deque<StreamName>()
    /// The highest ``Entry/dropped``.
    private var highestDropped: UInt64 = 0
    /// The approximate memory of the entries, in bytes.
    private(set) var bytes = 0

    var count: Int { entries.count }

    subscript(name: StreamName) -> Entry? { entries[name] }

    func contains(_ name: StreamName) -> Bool { entries[name] != nil }

    /// Whether messages of a queue are kept.
    func keeps(_ name: StreamName) -> Bool { allSince != nil || contains(name) }

    /// Adds a queue whose messages are kept from now on. A queue that is there already stays as it is.
    mutating func insert(_ name: StreamName, since: UInt64, at now: UInt64) {
        guard entries[name] == nil else { return }
        entries[name] = Entry(since: since, used: now)
        order.append(name)
        bytes += Self.cost(of: name)
    }

    /// Records that the copy has the messages of a queue from an earlier timetoken on.
    mutating func extend(_ name: StreamName, to since: UInt64) {
        guard let entry = entries[name], since < entry.since else { return }
        entries[name]?.since = since
    }

    /// Records that messages of a queue may be missing in the original as well. Queues that the copy does not have are ignored.
    mutating func noteDropped(_ timetoken: UInt64, from name: StreamName) {
        guard let entry = entries[name], timetoken > entry.dropped else { return }
        entries[name]?.dropped = timetoken
        highestDropped = max(highestDropped, timetoken)
    }

    /// Whether messages after `cursor` may be missing for good: in the original as well, or because it does not answer requests.
    func hasDropped(after cursor: UInt64, _ interest: StreamInterest) -> Bool {
        // No queue begins later than this.
        let latest = isAlone ? allSince : nil
        guard cursor < max(highestDropped, latest ?? 0) else { return false }
        var hasDropped = false
        interest.forEachName { name in
            let entry = entries[name]
            if let entry, cursor < entry.dropped { hasDropped = true }
            if let latest, cursor < entry?.since ?? latest { hasDropped = true }
        }
        return hasDropped
    }

    /// Examines the queues that were examined longest ago, and removes those without a reader.
    ///
    /// - Parameters:
    ///   - limit: how many queues to examine.
    ///   - age: how long a queue stays after its last reader has left.
    ///   - isRead: whether a queue has a reader.
    /// - Returns: the names of the removed queues.
    mutating func removeUnread(
        limit: Int, age: UInt64, at now: UInt64, where isRead: (StreamName) -> Bool
    ) -> [StreamName] {
        var removed: [StreamName] = []
        for _ in 0..<min(max(limit, 0), order.count) {
            guard let name = order.popFirst(), let entry = entries[name] else { continue }
            if isRead(name) {
                entries[name]?.used = now
            } else if now >= entry.used, now - entry.used >= age {
                entries[name] = nil
                bytes -= Self.cost(of: name)
                removed.append(name)
                continue
            }
            order.append(name)
        }
        return removed
    }

    private static func cost(of name: StreamName) -> Int { name.identifier.utf8.count + 200 }
}

extension StreamInterest {
    /// Calls a closure with each queue to read. A channel that is in several groups occurs several times.
    func forEachName(_ body: (StreamName) -> Void) {
        for channel in channels { body(.channel(channel)) }
        for group in groups {
            for channel in group.channels { body(.channel(channel)) }
        }
        for wildcard in patterns { body(.pattern(wildcard.pattern)) }
    }
}
