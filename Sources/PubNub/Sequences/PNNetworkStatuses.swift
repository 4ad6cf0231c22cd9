import EngineRuntime

/// Reports each loss and return of the network to one consumer, as an async sequence. A consumer that is more than 64 elements behind
/// misses elements. An addition to the Cocoa SDK.
///
/// The sequence ends when the client is released or the consuming task is cancelled.
public struct PNNetworkStatuses: AsyncSequence, Sendable {
    public typealias Element = PNNetworkStatus
    public typealias Failure = Never

    let stream: EventStream<PNNetworkStatus>

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// Returns the statuses one after the other. Only one task may use an iterator.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: EventStream<PNNetworkStatus>.Iterator

        /// Waits for the next status; nil after the client was released or the task was cancelled.
        public mutating func next() async -> PNNetworkStatus? { await base.next() }
    }
}
