import ConnectionEngine
import EngineRuntime

/// Whether this machine has a route to the service, as an async sequence for one consumer: an element for each change.
///
/// It says what the system knows of links and routes, not whether the service can be reached; ``LifelineClient/statuses`` says that. Before
/// the first element there is a network, as far as anybody knows. A consumer that is 64 elements behind misses some (rule LL-91).
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
    /// The network of this machine, each time that it comes or goes. Each read of the property gives an independent sequence.
    ///
    /// On Linux by the kernel's news of links and routes (rtnetlink), on Apple platforms by `NWPathMonitor`.
    public var networkChanges: NetworkChanges { NetworkChanges(stream: core.adapter.networkChanges.stream()) }
}
