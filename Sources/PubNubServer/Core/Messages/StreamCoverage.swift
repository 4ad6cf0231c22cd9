import DequeModule
import Identifiers

/// The name of a message queue: a channel or a pattern.
package enum StreamName: Hashable, Sendable {
    case channel(Identifier)
    /// The pattern as the client writes it, such as `a.*`.
    case pattern(Identifier)

    /// The name of the channel or pattern.
    var identifier: Identifier {
        switch self {
        case .channel(let name), .pattern(let name): name
        }
    }
}

/// A range of messages in one queue: after one timetoken, up to and including another timetoken.
package struct StreamRange: Hashable, Sendable {
    /// The queue of the range's messages.
    package var name: StreamName
    /// The timetoken after which the range begins.
    package var after: UInt64
    /// The last timetoken of the range.
    package var upTo: UInt64

    /// Makes a range of the queue `name`, after the timetoken `after`, up to and including `upTo`.
    package init(_ name: StreamName, after: UInt64, upTo: UInt64) {
        self.name = name
        self.after = after
        self.upTo = upTo
    }
}

/// The queues of a node's partial copy of the streams, which are the queues that readers subscribe to (rules CB-50 and CB-51). Only the
/// leader has the complete streams.
struct StreamCoverage: Sendable {
    struct Entry: Sendable {
        /// The copy has all messages of the queue after this timetoken, except messages that the queue has dropped.
        var since: UInt64
        /// The timetoken up to which messages may be missing in the copy, because the leader does not have them; 0 when no messages are
        /// missing.
        var dropped: UInt64 = 0
        /// When the queue was last found to have a reader, in units of 100 ns.
        var used: UInt64
    }

    private var entries: [StreamName: Entry] = [:]
    /// The timetoken after which the copy has the messages of all queues, so that it requests no messages (rule CB-58). Nil when the copy
    /// requests the messages that its readers lack.
    var allSince: UInt64?
    /// Whether the leader does not answer requests for messages. If so, readers that lack messages get a gap report; otherwise they wait.
    var isAlone = false
    /// The names of all queues in the order of examination: the first one was examined longest ago.
    private var order = Deque<StreamName>()
    /// The highest ``Entry/dropped``.
    private var highestDropped: UInt64 = 0
    /// The approximate memory of the entries, in bytes.
    private(set) var bytes = 0

    var count: Int { entries.count }

    subscript(name: StreamName) -> Entry? { entries[name] }

    func contains(_ name: StreamName) -> Bool { entries[name] != nil }

    /// Whether the copy keeps the messages of a queue.
    func keeps(_ name: StreamName) -> Bool { allSince != nil || contains(name) }

    /// Adds a queue whose messages are kept from now on. A queue that exists stays unchanged.
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

    /// Records that the leader may lack messages of a queue up to this timetoken. Queues that the copy does not have are ignored.
    mutating func noteDropped(_ timetoken: UInt64, from name: StreamName) {
        guard let entry = entries[name], timetoken > entry.dropped else { return }
        entries[name]?.dropped = timetoken
        highestDropped = max(highestDropped, timetoken)
    }

    /// Whether messages after `cursor` may be missing and can no longer be requested, because the leader lacks them or does not answer
    /// requests.
    func hasDropped(after cursor: UInt64, _ interest: StreamInterest) -> Bool {
        // While the copy keeps the messages of all queues, every queue has all messages after `latest`.
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

    /// Examines the queues that were examined longest ago, and removes queues without a reader.
    ///
    /// - Parameters:
    ///   - limit: how many queues to examine.
    ///   - age: how long a queue stays after its last reader has left, in units of 100 ns.
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
    /// Calls a closure with each queue that the reader needs. A channel that is in several groups is passed several times.
    func forEachName(_ body: (StreamName) -> Void) {
        for channel in channels { body(.channel(channel)) }
        for group in groups {
            for channel in group.channels { body(.channel(channel)) }
        }
        for wildcard in patterns { body(.pattern(wildcard.pattern)) }
    }
}
