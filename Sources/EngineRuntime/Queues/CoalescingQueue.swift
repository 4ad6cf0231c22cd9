import DequeModule

/// The elements that wait in a ``CoalescingQueue``.
@usableFromInline package protocol CoalescingBuffer {
    associatedtype Batch

    var isEmpty: Bool { get }
    /// Removes and returns all elements, in order.
    mutating func takeAll() -> Batch
}

/// A queue of elements from several threads, with the state whether a thread is processing them.
///
/// A value that its owner protects with a lock. A thread that adds an element while no other thread is processing, which ``append(_:)``
/// and ``begin()`` return, takes elements until none are left, or schedules this; all other threads only add. So elements keep their
/// order, and no code is called while the lock is held. ``CoalescingWorker`` is the owner for the usual case.
@usableFromInline package struct CoalescingQueue<Buffer: CoalescingBuffer> {
    /// The elements that were added and not taken, in order. After adding to it in place, ``begin()`` has to be called.
    @usableFromInline package var waiting: Buffer
    /// Whether a thread is taking elements, or is about to.
    @usableFromInline package var isAtWork = false

    @inlinable package init(waiting: Buffer) {
        self.waiting = waiting
    }

    /// Call this after elements were added.
    ///
    /// - Returns: whether the caller has to process elements until none are left.
    @inlinable package mutating func begin() -> Bool {
        if isAtWork || waiting.isEmpty { return false }
        isAtWork = true
        return true
    }

    /// Whether more elements have arrived. If not, the thread that adds the next one must begin.
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
    /// - Returns: whether the caller has to process elements until none are left.
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
