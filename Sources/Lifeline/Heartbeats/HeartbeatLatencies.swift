import EngineRuntime

/// The latencies of heartbeats, as an async sequence for one consumer: an element for each answered heartbeat. Elements are dropped for a
/// consumer that is 64 elements behind. Rule LL-133.
public struct HeartbeatLatencies: AsyncSequence, Sendable {
    /// The time from a heartbeat to its answer, on the monotonic clock.
    public typealias Element = Duration
    /// Iteration cannot throw; a heartbeat without an answer is not an element.
    public typealias Failure = Never

    let stream: EventStream<Duration>

    /// Makes the iterator of a `for await` loop. It continues after the last latency that an earlier loop has read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// Iterates over the latencies. Only one task may use an iterator.
    public struct Iterator: AsyncIteratorProtocol {
        var base: EventStream<Duration>.Iterator

        /// Waits for the next latency. Returns nil at the end of the sequence.
        public mutating func next() async -> Duration? { await base.next() }
    }
}

extension LifelineClient {
    /// The time from the latest heartbeat of the present connection to its answer; nil without a connection, and before the first answer.
    ///
    /// Pusher and chat measure the latency with pings; PubNub uses requests for the server's time, which are sent beside the poll. A client
    /// sends heartbeats while nothing else arrives, see ``ClientOptions/liveness``. Pusher's client also sends a heartbeat after each
    /// message that it sends over the connection. A connection on which messages keep arriving has no heartbeats.
    ///
    /// The latency includes delays in the client itself.
    public var heartbeatLatency: Duration? { core.adapter.heartbeats.latest }

    /// The latencies of heartbeats from now on. Each read of the property returns an independent sequence.
    public var heartbeatLatencies: HeartbeatLatencies { HeartbeatLatencies(stream: core.adapter.heartbeats.latencies.stream()) }
}
