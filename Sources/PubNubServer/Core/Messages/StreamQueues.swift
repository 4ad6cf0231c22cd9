import HeapModule
import Identifiers

/// The non-empty message queues of all channels, or of all patterns.
struct StreamQueues<Attachment: Sendable>: Sendable {
    /// An entry of the heap that finds the queue with the oldest message: the timetoken of a queue's oldest message, and the queue's name.
    /// If the queue has dropped this message since the entry was made, the timetoken is too low.
    private struct Check: Comparable, Sendable {
        var oldest: UInt64
        var name: Identifier

        static func < (left: Check, right: Check) -> Bool { left.oldest < right.oldest }
    }

    private var queues: [Identifier: StreamQueue<Attachment>] = [:]
    /// One entry for each queue, with the oldest message first. When a queue is removed, or when older messages are added to it, its entry
    /// becomes outdated; ``tidy()`` removes such entries.
    private var checks = Heap<Check>()
    private(set) var bytes = 0
    /// The timetoken of the newest message of removed queues, without queues of presence channels.
    private(set) var forgotten: UInt64
    /// The timetoken of the newest event in removed queues of presence channels. It is separate from `forgotten`, because each user who
    /// leaves causes a presence event. With a common timetoken, readers of messages would get a gap report although nobody has published a
    /// message (rule HB-95).
    private(set) var forgottenPresence: UInt64

    init(forgotten: UInt64) {
        self.forgotten = forgotten
        forgottenPresence = forgotten
    }

    /// The timetoken of the newest message that a removed queue of this name may have had.
    func forgotten(of name: Identifier) -> UInt64 { name.isPresenceChannel ? forgottenPresence : forgotten }

    private mutating func forget(_ timetoken: UInt64, of name: Identifier) {
        if name.isPresenceChannel {
            forgottenPresence = max(forgottenPresence, timetoken)
        } else {
            forgotten = max(forgotten, timetoken)
        }
    }

    var count: Int { queues.count }
    /// The names of all queues.
    var names: [Identifier] { Array(queues.keys) }
    /// A lower bound for the timetokens of all messages. It may be lower than the timetoken of the oldest message.
    var oldest: UInt64 { checks.min?.oldest ?? .max }

    subscript(name: Identifier) -> StreamQueue<Attachment>? { queues[name] }

    mutating func push(_ entry: StreamEntry<Attachment>, onto name: Identifier, limit: Int) {
        let (plain, presence) = (forgotten, forgottenPresence)
        let (grown, isNew) = Self.push(
            entry, limit: limit, into: &queues[name, default: StreamQueue(dropped: name.isPresenceChannel ? presence : plain)])
        bytes += grown
        guard isNew else { return }
        bytes += Self.cost(of: name)
        checks.insert(Check(oldest: entry.message.timetoken, name: name))
    }

    /// Adds older messages to a queue, oldest first.
    mutating func prepend(_ entries: [StreamEntry<Attachment>], to name: Identifier, limit: Int) {
        guard !entries.isEmpty else { return }
        let dropped = forgotten(of: name)
        let (grown, isNew, oldest) = Self.prepend(
            entries, limit: limit, to: &queues[name, default: StreamQueue(dropped: dropped)])
        bytes += grown + (isNew ? Self.cost(of: name) : 0)
        checks.insert(Check(oldest: oldest, name: name))
        tidy()
    }

    /// Removes a queue that has no readers, together with its messages. These messages do not count as dropped.
    mutating func remove(_ name: Identifier) {
        guard let queue = queues.removeValue(forKey: name) else { return }
        bytes -= queue.slots.reduce(Self.cost(of: name)) { $0 + $1.entry.cost }
        tidy()
    }

    /// Rebuilds the heap `checks` when most of its entries are outdated. An outdated entry does no harm, but needs memory.
    private mutating func tidy() {
        guard checks.count > 2 * queues.count + 1024 else { return }
        checks = Heap(queues.map { Check(oldest: $0.value.oldest, name: $0.key) })
    }

    /// The queues that have dropped messages, each with the timetoken of its newest dropped message.
    var overflowed: [(name: Identifier, dropped: UInt64)] {
        queues.filter { $0.value.dropped > forgotten(of: $0.key) }.map { ($0.key, $0.value.dropped) }
    }

    /// The messages of all queues after a timetoken, in no particular order.
    func entries(after timetoken: UInt64) -> [StreamEntry<Attachment>] {
        queues.values.flatMap { queue in
            queue.last > timetoken ? queue.slots[queue.index(after: timetoken)...].map(\.entry) : []
        }
    }

    /// Records that messages of a queue up to this timetoken may be missing.
    mutating func noteDropped(_ timetoken: UInt64, from name: Identifier) {
        if let index = queues.index(forKey: name) {
            queues.values[index].noteDropped(timetoken)
        } else {
            forget(timetoken, of: name)
        }
    }

    /// Drops messages with timetokens before `horizon`.
    mutating func drop(before horizon: UInt64) {
        while oldest < horizon { trimOldest { $0.dropFirst(before: horizon) } }
    }

    /// Drops the oldest message in all queues.
    mutating func dropOldest() {
        guard let check = checks.min else { return }
        // If the queue has already dropped the message of this heap entry, no message is dropped now. The entry is only replaced by one for
        // the oldest message that the queue has at present.
        trimOldest { $0.oldest == check.oldest ? $0.dropFirst() : 0 }
    }

    private mutating func trimOldest(_ drop: (inout StreamQueue<Attachment>) -> Int) {
        guard let check = checks.popMin(), let index = queues.index(forKey: check.name) else { return }
        bytes -= drop(&queues.values[index])
        let queue = queues.values[index]
        if queue.isEmpty {
            forget(queue.dropped, of: check.name)
            queues.remove(at: index)
            bytes -= Self.cost(of: check.name)
        } else {
            checks.insert(Check(oldest: queue.oldest, name: check.name))
        }
    }

    /// The approximate memory of a queue without its messages, in bytes.
    private static func cost(of name: Identifier) -> Int { name.utf8.count + 300 }

    private static func prepend(
        _ entries: [StreamEntry<Attachment>], limit: Int, to queue: inout StreamQueue<Attachment>
    ) -> (grown: Int, isNew: Bool, oldest: UInt64) {
        let isNew = queue.isEmpty
        return (queue.prepend(entries, limit: limit), isNew, queue.oldest)
    }

    /// Changes the queue in place, because a copy of the queue would copy its messages.
    private static func push(
        _ entry: StreamEntry<Attachment>, limit: Int, into queue: inout StreamQueue<Attachment>
    ) -> (grown: Int, isNew: Bool) {
        let isNew = queue.isEmpty
        return (queue.push(entry, limit: limit), isNew)
    }
}
