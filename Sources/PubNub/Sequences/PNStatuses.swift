import EngineRuntime

/// The statuses of a client's subscription, as an async sequence for one consumer. It never drops a status. An addition to the Cocoa
/// SDK.
///
/// Ends when the client is released or the consuming task is cancelled.
public struct PNStatuses: AsyncSequence, Sendable {
    public typealias Element = PNStatus
    public typealias Failure = Never

    let stream: EventStream<QueuedDelivery>

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// Hands out one status after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: EventStream<QueuedDelivery>.Iterator

        /// The next status, or nil at the end.
        public mutating func next() async -> PNStatus? {
            while let delivery = await base.next() {
                if case .status(let status) = delivery { return status }
            }
            return nil
        }
    }
}
