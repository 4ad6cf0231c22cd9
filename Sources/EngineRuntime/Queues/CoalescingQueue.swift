import DequeModule

/// The elements that wait in a ``CoalescingQueue``.
@usableFromInline package protocol CoalescingBuffer {
    associatedtype Batch

    var isEmpty: Bool { get }
    /// Removes and returns all elements, in order.
    mutating func takeAll() -> Batch
}

/// A queue to which several threads add elements and which one thread at a time processes.
///
/// The queue is a value that its owner protects with a lock. If ``append(_:)`` or ``begin()`` returns true, no other thread is processing
/// elements, and the caller must process elements until none are left. If the result is false, the caller has nothing to do, because
/// another thread processes the elements or no element waits. So elements keep their order, and no code is called while the lock is held.
/// The owner is usually a ``CoalescingWorker``.
@usableFromInline package struct CoalescingQueue<Buffer: CoalescingBuffer> {
    /// The elements that wait to be processed, in order. Code that adds elements directly has to call ``begin()`` afterwards.
    @usableFromInline package var waiting: Buffer
    /// Whether a thread is processing elements, or is about to.
    @usableFromInline package var isAtWork = false

    @inlinable package init(waiting: Buffer) {
        self.waiting = waiting
    }

    /// Has to be called after elements were added to ``waiting`` directly.
    ///
    /// - Returns: whether the caller has to process elements until none are left.
    @inlinable package mutating func begin() -> Bool {
        if isAtWork || waiting.isEmpty { return false }
        isAtWork = true
        return true
    }

    /// Whether more elements wait. If none wait, processing ends, and the thread that adds the next element must process that element.
    @inlinable package mutating func goesOn() -> Bool {
        isAtWork = !waiting.isEmpty
        return isAtWork
    }

    /// Removes and returns all waiting elements. Returns nil when no elements wait; then the thread that adds the next element must process
    /// that element.
    @inlinable package mutating func takeAll() -> Buffer.Batch? {
        goesOn() ? waiting.takeAll() : nil
    }

    /// Removes and returns all waiting elements, and ends processing. The thread that adds the next element must process that element, even
    /// if the returned elements are not processed yet.
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

    /// Removes and returns the first waiting element. Returns nil when no element waits; then the thread that adds the next element must
    /// process that element.
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
