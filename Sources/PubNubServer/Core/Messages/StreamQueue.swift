import DequeModule

/// The newest messages of a channel or pattern.
struct StreamQueue<Attachment: Sendable>: Sendable {
    /// One message. The timetoken is stored next to the entry, so that a binary search reads one block of memory.
    struct Slot: Sendable {
        var timetoken: UInt64
        var entry: StreamEntry<Attachment>
    }

    private(set) var slots = Deque<Slot>()
    /// The timetoken up to which messages may be missing: that of the newest dropped message, or one up to which messages may have been
    /// dropped before the queue existed.
    private(set) var dropped: UInt64

    init(dropped: UInt64) {
        self.dropped = dropped
    }

    var isEmpty: Bool { slots.isEmpty }
    var oldest: UInt64 { slots.first?.timetoken ?? .max }
    /// The timetoken of the newest message; for an empty queue, that of the newest dropped message.
    var last: UInt64 { slots.last?.timetoken ?? dropped }

    /// Adds a message with a higher timetoken than all earlier ones. If the queue then has more than `limit` messages, the oldest one is
    /// dropped. Returns the number of bytes by which the queue has grown.
    mutating func push(_ entry: StreamEntry<Attachment>, limit: Int) -> Int {
        let freed = slots.count >= limit ? dropFirst() : 0
        slots.append(Slot(timetoken: entry.message.timetoken, entry: entry))
        return entry.cost - freed
    }

    /// Adds messages that are older than those of the queue, oldest first. If the queue then has more than `limit` messages, the oldest
    /// ones are dropped. Returns the number of bytes by which the queue has grown.
    mutating func prepend(_ entries: [StreamEntry<Attachment>], limit: Int) -> Int {
        slots.prepend(contentsOf: entries.map { Slot(timetoken: $0.message.timetoken, entry: $0) })
        var grown = entries.reduce(0) { $0 + $1.cost }
        while slots.count > limit { grown -= dropFirst() }
        return grown
    }

    /// Drops the oldest message. Returns the number of freed bytes.
    mutating func dropFirst() -> Int {
        guard let slot = slots.popFirst() else { return 0 }
        dropped = max(dropped, slot.timetoken)
        return slot.entry.cost
    }

    /// Records that messages up to this timetoken may be missing.
    mutating func noteDropped(_ timetoken: UInt64) {
        dropped = max(dropped, timetoken)
    }

    /// Drops messages with timetokens before `horizon`. Returns the number of freed bytes.
    mutating func dropFirst(before horizon: UInt64) -> Int {
        var freed = 0
        while oldest < horizon { freed += dropFirst() }
        return freed
    }

    /// The index of the first message after `cursor`.
    func index(after cursor: UInt64) -> Int {
        var low = 0
        var high = slots.count
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].timetoken > cursor { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// A message that has a timetoken and is not visible yet.
struct PendingMessage<Attachment: Sendable>: Sendable {
    enum State: Sendable {
        case waiting
        case ready(StreamEntry<Attachment>)
        case abandoned
    }

    var timetoken: UInt64
    var state: State
}
