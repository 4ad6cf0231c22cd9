import ConnectionEngine
import EngineRuntime

/// Whether this machine has a route to the service, as an async sequence for one consumer: an element for each change.
///
/// The sequence reports the system's links and routes, not whether the service can be reached; ``LifelineClient/statuses`` reports
/// that. Before the first element, assume that there is a network. Elements are dropped for a consumer that is 64 elements behind (rule
/// LL-91).
public struct NetworkChanges: AsyncSequence, Sendable {
    /// Whether there is a network now.
    public typealias Element = NetworkStatus
    /// The sequence never throws.
    public typealias Failure = Never

    let stream: EventStream<NetworkStatus>

    /// Continues where an earlier loop ended.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// Hands out one element after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        var base: EventStream<NetworkStatus>.Iterator

        /// The next change, or nil at the end.
        public mutating func next() async -> NetworkStatus? { await base.next() }
    }
}

extension LifelineClient {
    /// Changes of this machine's network: an element each time it becomes available or unavailable. Each read of the property gives an
    /// independent sequence.
    ///
    /// It uses the kernel's notifications of links and routes (rtnetlink) on Linux, and `NWPathMonitor` on Apple platforms.
    public var networkChanges: NetworkChanges { NetworkChanges(stream: core.adapter.networkChanges.stream()) }
}
