import EngineRuntime

/// Each loss and return of the network, for one consumer: an async sequence. Elements are dropped for a consumer that is 64 elements
/// behind. An addition to the Cocoa SDK.
///
/// Ends when the client is released or the consuming task is cancelled.
public struct PNNetworkStatuses: AsyncSequence, Sendable {
    public typealias Element = PNNetworkStatus
    public typealias Failure = Never

    let stream: EventStream<PNNetworkStatus>

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// Hands out one status after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: EventStream<PNNetworkStatus>.Iterator

        /// The next status, or nil at the end.
        public mutating func next() async -> PNNetworkStatus? { await base.next() }
    }
}
