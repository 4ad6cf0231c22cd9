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
    /// The sequence never throws.
    public typealias Failure = Never

    let stream: EventStream<ClientEvent>
    /// When the sequence began.
    let start: Moment
    let clock: FeedClock

    /// Continues where an earlier loop ended.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), last: start, clock: clock)
    }

    /// Hands out one element after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        var base: EventStream<ClientEvent>.Iterator
        /// When the latest element of this sequence happened: nothing is missing up to there.
        var last: Moment
        let clock: FeedClock

        /// The next event, or nil at the end.
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
