import DequeModule

/// The elements that wait in a ``CoalescingQueue``.
@usableFromInline package protocol CoalescingBuffer {
    associatedtype Batch

    var isEmpty: Bool { get }
    /// Removes and returns everything, in order.
    mutating func takeAll() -> Batch
}

/// Elements from several threads, and whether a thread is already processing them.
///
/// A value that its owner protects with a lock. A thread that adds an element while no other thread is processing, as ``append(_:)``
/// and ``begin()`` tell, takes elements out until none are left, or arranges for that; all other threads only add. So elements keep
/// their order, and nothing is called while the lock is held. ``CoalescingWorker`` is the owner for the usual case.
@usableFromInline package struct CoalescingQueue<Buffer: CoalescingBuffer> {
    /// The elements that were added and not taken, in order. After adding to it in place, ``begin()`` has to be called.
    @usableFromInline package var waiting: Buffer
    /// Whether a caller takes elements out, or is about to.
    @usableFromInline package var isAtWork = false

    @inlinable package init(waiting: Buffer) {
        self.waiting = waiting
    }

    /// To be called after elements were added.
    ///
    /// - Returns: whether the caller has to see to it that elements are taken out until none are left.
    @inlinable package mutating func begin() -> Bool {
        if isAtWork || waiting.isEmpty { return false }
        isAtWork = true
        return true
    }

    /// Whether more elements have come. If not, the thread that adds the next one must begin.
    @inlinable package mutating func goesOn() -> Bool {
        isAtWork = !waiting.isEmpty
        return isAtWork
    }

    /// All waiting elements; nil when there are none, and then the thread that adds the next one must begin.
    @inlinable package mutating func takeAll() -> Buffer.Batch? {
        goesOn() ? waiting.takeAll() : nil
    }

    /// All waiting elements, for the last time: the thread that adds the next one must begin, even before this batch is processed.
    @inlinable package mutating func takeAllAndRest() -> Buffer.Batch {
        isAtWork = false
        return waiting.takeAll()
    }
}

extension CoalescingQueue: Sendable where Buffer: Sendable {}

extension CoalescingQueue where Buffer: RangeReplaceableCollection {
    @inlinable package init() {
        self.init(waiting: Buffer())
    }

    /// Adds an element.
    ///
    /// - Returns: whether the caller has to see to it that elements are taken out until none are left.
    @inlinable package mutating func append(_ element: Buffer.Element) -> Bool {
        waiting.append(element)
        return begin()
    }

    /// The first waiting element; nil when there is none, and then the thread that adds the next one must begin.
    @inlinable package mutating func takeFirst() -> Buffer.Element? {
        goesOn() ? waiting.removeFirst() : nil
    }
}

extension Array: CoalescingBuffer {
    @inlinable package mutating func takeAll() -> [Element] {
        var taken: [Element] = []
        swap(&taken, &self)
        return taken
    }
}

extension Deque: CoalescingBuffer {
    @inlinable package mutating func takeAll() -> Deque<Element> {
        var taken = Deque<Element>()
        swap(&taken, &self)
        return taken
    }
}
