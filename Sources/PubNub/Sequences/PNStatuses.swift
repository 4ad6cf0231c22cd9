import EngineRuntime

/// The statuses of a client's subscription, as an async sequence for one consumer. The sequence never drops a status. An addition to the
/// Cocoa SDK.
///
/// It ends when the client is released or the consuming task is cancelled.
public struct PNStatuses: AsyncSequence, Sendable {
    public typealias Element = PNStatus
    public typealias Failure = Never

    let stream: EventStream<QueuedDelivery>

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// Returns the statuses one after the other. Only one task may use an iterator.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: EventStream<QueuedDelivery>.Iterator

        /// Waits for the next status; nil after the client was released or the task was cancelled.
        public mutating func next() async -> PNStatus? {
            while let delivery = await base.next() {
                if case .status(let status) = delivery { return status }
            }
            return nil
        }
    }
}
