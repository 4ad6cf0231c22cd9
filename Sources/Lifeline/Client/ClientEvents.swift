import ConnectionEngine
import EngineRuntime

/// All events of a client in one order, as an async sequence for one consumer.
///
/// The sequence is bounded: when a consumer falls too far behind, messages and presence changes are dropped, and
/// ``ClientEvent/dropped(_:since:at:)`` takes their place. Statuses, confirmations, gaps and problems are never dropped. A later loop
/// over the same sequence continues where an earlier one ended; a second loop at the same time ends the first.
public struct ClientEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ClientEvent
    /// Iteration cannot throw; failures are elements.
    public typealias Failure = Never

    let stream: EventStream<ClientEvent>
    /// When the sequence was created. If events are dropped before the first one is delivered, the start time in the report of dropped
    /// events is derived from this time.
    let start: Moment
    let clock: FeedClock

    /// Makes the iterator of a `for await` loop. It continues after the last event that an earlier loop has read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), last: start, clock: clock)
    }

    /// Iterates over the events. Only one task may use an iterator.
    public struct Iterator: AsyncIteratorProtocol {
        var base: EventStream<ClientEvent>.Iterator
        /// When the latest delivered event happened: no event up to this moment was dropped.
        var last: Moment
        let clock: FeedClock

        /// Waits for the next event. Returns nil at the end of the sequence.
        public mutating func next() async -> ClientEvent? {
            guard let event = await base.next() else { return nil }
            if case .dropped(let count, _, _) = event {
                return .dropped(count, since: clock.publishedBefore(last), at: clock.now())
            }
            last = event.at
            return event
        }
    }

    static func broadcaster(backlog: Int, _ consumers: (any ConsumerTracker)? = nil) -> Broadcaster<ClientEvent> {
        Broadcaster(
            backlog: backlog, tracker: consumers,
            isDroppable: { event in
                switch event {
                case .message, .presence, .notice: true
                case .problem(let error, _, _, _): error.code == .decryptionFailed
                default: false
                }
            },
            dropped: { .dropped($0, since: .zero, at: .zero) })
    }
}

extension ClientEvent {
    /// When it happened.
    public var at: Moment {
        switch self {
        case .status(let status): status.at
        case .message(let message): message.receivedAt
        case .gap(let gap): gap.at
        case .subscribed(_, _, let at), .unsubscribed(_, let at), .presence(_, let at), .problem(_, _, _, let at),
            .notice(_, let at), .dropped(_, _, let at):
            at
        }
    }
}
