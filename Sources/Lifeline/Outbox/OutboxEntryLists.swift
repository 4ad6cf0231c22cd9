import EngineRuntime

/// The messages of an ``Outbox``, as a whole list after each change: an async sequence for one consumer, for screens that show
/// "sending…" and "failed, tap to retry".
///
/// It begins with the present entries. A consumer that is slow gets fewer lists, never an old one after a newer one. The sequence ends
/// when the outbox is closed or released.
public struct OutboxEntryLists: AsyncSequence, Sendable {
    /// The entries, in the order in which they were enqueued.
    public typealias Element = [OutboxEntry]
    /// The sequence never throws.
    public typealias Failure = Never

    let changes: EventStream<Void>
    let current: @Sendable () -> [OutboxEntry]

    /// Begins with the present entries.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: changes.makeAsyncIterator(), current: current)
    }

    /// Hands out one list after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: EventStream<Void>.Iterator
        private let current: @Sendable () -> [OutboxEntry]
        private var last: [OutboxEntry]?

        init(base: EventStream<Void>.Iterator, current: @escaping @Sendable () -> [OutboxEntry]) {
            self.base = base
            self.current = current
        }

        /// The next list that differs from the last one, or nil at the end.
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
