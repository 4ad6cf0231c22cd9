import ConnectionEngine
import EngineRuntime

/// Whether this machine has a route to the service, as an async sequence for one consumer: an element for each change.
///
/// The sequence reports the system's links and routes; ``LifelineClient/statuses`` reports whether the service can be reached. Before the
/// first element, assume that there is a network. Elements are dropped for a consumer that is 64 elements behind (rule LL-91).
public struct NetworkChanges: AsyncSequence, Sendable {
    /// Whether this machine has a network now.
    public typealias Element = NetworkStatus
    /// Iteration cannot throw; an unavailable network is an element.
    public typealias Failure = Never

    let stream: EventStream<NetworkStatus>

    /// Makes the iterator of a `for await` loop. It continues after the last change that an earlier loop has read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// Iterates over the changes. Only one task may use an iterator.
    public struct Iterator: AsyncIteratorProtocol {
        var base: EventStream<NetworkStatus>.Iterator

        /// Waits for the next change. Returns nil at the end of the sequence.
        public mutating func next() async -> NetworkStatus? { await base.next() }
    }
}

extension LifelineClient {
    /// Changes of this machine's network: an element each time the network becomes available or unavailable. Each read of the property
    /// returns an independent sequence.
    ///
    /// The client uses the kernel's notifications of links and routes (rtnetlink) on Linux, and `NWPathMonitor` on Apple platforms.
    public var networkChanges: NetworkChanges { NetworkChanges(stream: core.adapter.networkChanges.stream()) }
}
