import EngineRuntime

/// The messages of an ``Outbox``, as a whole list after each change: an async sequence for one consumer, for screens that show "sending…"
/// and "failed, tap to retry".
///
/// The sequence begins with the present entries. A slow consumer gets fewer lists, but never an older list after a newer one. The sequence
/// ends when the outbox is closed or released.
public struct OutboxEntryLists: AsyncSequence, Sendable {
    /// A list of all entries, in the order in which they were enqueued.
    public typealias Element = [OutboxEntry]
    /// Iteration cannot throw; failures are in the entries.
    public typealias Failure = Never

    let changes: EventStream<Void>
    let current: @Sendable () -> [OutboxEntry]

    /// Makes the iterator of a `for await` loop. Each loop begins with the present entries.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: changes.makeAsyncIterator(), current: current)
    }

    /// Iterates over the lists of entries. Only one task may use an iterator.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: EventStream<Void>.Iterator
        private let current: @Sendable () -> [OutboxEntry]
        private var last: [OutboxEntry]?

        init(base: EventStream<Void>.Iterator, current: @escaping @Sendable () -> [OutboxEntry]) {
            self.base = base
            self.current = current
        }

        /// Waits for a list that differs from the last delivered one. Returns nil at the end of the sequence.
        public mutating func next() async -> [OutboxEntry]? {
            guard let known = last else {
                last = current()
                return last
            }
            while await base.next() != nil {
                let entries = current()
                guard entries != known else { continue }
                last = entries
                return entries
            }
            return nil
        }
    }
}
