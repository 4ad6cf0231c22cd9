import EngineRuntime

/// How long the answers to heartbeats take, as an async sequence for one consumer: an element for each answer. Elements are dropped for
/// a consumer that is 64 elements behind. Rule LL-133.
public struct HeartbeatLatencies: AsyncSequence, Sendable {
    /// The time from a heartbeat to its answer, on the monotonic clock.
    public typealias Element = Duration
    /// The sequence never throws.
    public typealias Failure = Never

    let stream: EventStream<Duration>

    /// Continues where an earlier loop ended.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// Hands out one element after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        var base: EventStream<Duration>.Iterator

        /// The next latency, or nil at the end.
        public mutating func next() async -> Duration? { await base.next() }
    }
}

extension LifelineClient {
    /// How long the latest heartbeat of the present connection took to be answered; nil without a connection, and before the first answer.
    ///
    /// Pusher and chat measure it with pings. PubNub measures it with requests for the server's time, which are sent beside the poll. A
    /// client sends heartbeats while nothing else arrives, see ``ClientOptions/liveness``, and Pusher's client also after each message
    /// that it sends over the connection; a connection on which messages keep arriving has none. The latency includes delays in the
    /// client itself.
    public var heartbeatLatency: Duration? { core.adapter.heartbeats.latest }

    /// The latencies of heartbeats from now on. Each read of the property gives an independent sequence.
    public var heartbeatLatencies: HeartbeatLatencies { HeartbeatLatencies(stream: core.adapter.heartbeats.latencies.stream()) }
}
