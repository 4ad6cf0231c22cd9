import DequeModule
import HeapModule

/// Merges the messages of several queues in the order of timetokens. A message that is in several queues is returned once.
struct StreamMerge<Attachment: Sendable> {
    /// The messages of one queue that are not merged yet.
    private struct Run {
        var slots: Deque<StreamQueue<Attachment>.Slot>
        var index: Int
        var source: StreamSource
    }

    /// The next message of a run. When several runs have the same message, the run that was added first is used.
    private struct Head: Comparable {
        var timetoken: UInt64
        var run: Int

        static func < (left: Head, right: Head) -> Bool { (left.timetoken, left.run) < (right.timetoken, right.run) }
    }

    /// The only run, while there is one: its messages need no merging, so neither an array nor a heap is allocated.
    private var only: Run?
    private var runs: [Run] = []
    private var heads = Heap<Head>()
    private var lastTaken: UInt64 = 0

    /// Whether all messages were returned: the runs are empty or contain only duplicates.
    var isEmpty: Bool {
        mutating get {
            if let only { return only.index >= only.slots.count }
            skipRepetitions()
            return heads.isEmpty
        }
    }

    mutating func add(_ queue: StreamQueue<Attachment>, after cursor: UInt64, _ source: StreamSource) {
        let index = queue.index(after: cursor)
        guard index < queue.slots.count else { return }
        let run = Run(slots: queue.slots, index: index, source: source)
        guard only != nil || !runs.isEmpty else {
            only = run
            return
        }
        if let first = only {
            only = nil
            insert(first)
        }
        insert(run)
    }

    mutating func next() -> StreamDelivery<Attachment>? {
        if let index = only?.index { return nextOfOnly(index) }
        skipRepetitions()
        guard let head = heads.min else { return nil }
        let run = runs[head.run]
        let delivery = StreamDelivery(entry: run.slots[run.index].entry, source: run.source)
        lastTaken = head.timetoken
        step(head.run)
        return delivery
    }

    private mutating func nextOfOnly(_ index: Int) -> StreamDelivery<Attachment>? {
        guard let run = only, index < run.slots.count else { return nil }
        only?.index += 1
        return StreamDelivery(entry: run.slots[index].entry, source: run.source)
    }

    private mutating func insert(_ run: Run) {
        heads.insert(Head(timetoken: run.slots[run.index].timetoken, run: runs.count))
        runs.append(run)
    }

    private mutating func skipRepetitions() {
        while let head = heads.min, head.timetoken == lastTaken { step(head.run) }
    }

    /// Advances the run with the smallest next timetoken by one message.
    private mutating func step(_ run: Int) {
        runs[run].index += 1
        guard runs[run].index < runs[run].slots.count else {
            heads.removeMin()
            return
        }
        heads.replaceMin(with: Head(timetoken: runs[run].slots[runs[run].index].timetoken, run: run))
    }
}
