import ConnectionEngine
import EngineRuntime

/// What a channel brings, gaps included, for one consumer. Ends with the subscription, with the client, or when the consuming
/// task is cancelled.
///
/// Bounded: a consumer that falls further behind than ``ClientOptions/backlog`` misses messages, and a gap stands in their place.
public struct Deliveries: AsyncSequence, Sendable {
    public typealias Element = Delivery
    public typealias Failure = Never

    let stream: EventStream<RoomItem>
    let channel: String
    /// When the sequence began.
    let start: Moment
    let clock: FeedClock

    /// How many messages were dropped for this sequence.
    public var droppedCount: Int { stream.droppedCount }

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), channel: channel, last: start, clock: clock)
    }

    public struct Iterator: AsyncIteratorProtocol {
        var base: EventStream<RoomItem>.Iterator
        let channel: String
        /// When the latest message of this sequence arrived: nothing is missing up to there.
        var last: Moment
        let clock: FeedClock

        public mutating func next() async -> Delivery? {
            switch await base.next() {
            case .delivery(let delivery):
                if case .message(let message) = delivery { last = message.receivedAt }
                return delivery
            case .dropped(let count):
                return .gap(
                    Gap(
                        channel: channel, since: clock.publishedBefore(last), reason: .slowConsumer, dropped: count,
                        at: clock.now()))
            case nil:
                return nil
            }
        }
    }
}

/// The messages of a channel, for one consumer. A message after a gap says so in ``Message/precedingGap``.
public struct Messages: AsyncSequence, Sendable {
    public typealias Element = Message
    public typealias Failure = Never

    let deliveries: Deliveries

    /// How many messages were dropped for this sequence.
    public var droppedCount: Int { deliveries.droppedCount }

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: deliveries.makeAsyncIterator())
    }

    public struct Iterator: AsyncIteratorProtocol {
        var base: Deliveries.Iterator
        private var gap: Gap?

        init(base: Deliveries.Iterator) {
            self.base = base
        }

        public mutating func next() async -> Message? {
            while let delivery = await base.next() {
                switch delivery {
                case .message(var message):
                    message.precedingGap = gap
                    gap = nil
                    return message
                case .gap(let later):
                    gap = gap?.joined(with: later) ?? later
                case .failed:
                    continue
                }
            }
            return nil
        }
    }
}
