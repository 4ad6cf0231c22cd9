import ConnectionEngine
import EngineRuntime
import Identifiers

/// The messages, gaps and failures of a channel, as an async sequence for one consumer. It ends with the room, with the
/// client, or when the consuming task is cancelled.
///
/// The sequence is bounded: when a consumer falls further behind than ``ClientOptions/backlog``, messages are dropped and a gap
/// takes their place. A later loop over the same sequence continues where an earlier one ended; a second loop at the same time
/// ends the first.
public struct Deliveries: AsyncSequence, Sendable {
    /// A message, a gap or a failure.
    public typealias Element = Delivery
    /// The sequence never throws.
    public typealias Failure = Never

    let stream: EventStream<RoomItem>
    let channel: String
    /// When the sequence began.
    let start: Moment
    let clock: FeedClock
    let hold: RoomHold

    /// How many messages were dropped for this sequence.
    public var droppedCount: Int { stream.droppedCount }

    /// Continues where an earlier loop ended.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), channel: channel, last: start, clock: clock, hold: hold)
    }

    /// Hands out one element after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        var base: EventStream<RoomItem>.Iterator
        let channel: String
        /// When the latest message of this sequence arrived: no message is missing up to this moment.
        var last: Moment
        let clock: FeedClock
        /// Keeps the room subscribed while a consumer reads it.
        let hold: RoomHold

        /// The next delivery, or nil at the end.
        public mutating func next() async -> Delivery? {
            switch await base.next() {
            case .delivery(let delivery):
                if case .message(let message) = delivery { last = message.receivedAt }
                return delivery
            case .dropped(let count):
                return .gap(gap(.slowConsumer, of: count))
            case nil:
                return nil
            }
        }

        /// Rule LL-8: messages are missing here, and their number is known.
        func gap(_ reason: Gap.Reason, of count: Int) -> Gap {
            Gap(channel: channel, since: clock.publishedBefore(last), reason: reason, dropped: count, at: clock.now())
        }
    }
}

/// The messages of a channel, as an async sequence for one consumer. A message that follows a gap, or a message that could not be
/// decrypted, has a ``Message/precedingGap``. It ends and is bounded like ``Deliveries``.
public struct Messages: AsyncSequence, Sendable {
    /// A message.
    public typealias Element = Message
    /// The sequence never throws.
    public typealias Failure = Never

    let deliveries: Deliveries

    /// How many messages were dropped for this sequence.
    public var droppedCount: Int { deliveries.droppedCount }

    /// Continues where an earlier loop ended.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: deliveries.makeAsyncIterator())
    }

    /// Hands out one element after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        private let place: MessagePlace

        init(base: Deliveries.Iterator) {
            place = MessagePlace(base: base)
        }

        /// The next message, or nil at the end.
        public mutating func next() async -> Message? {
            await place.next()
        }
    }
}

/// The position of one loop over messages. A gap that was to be reported with the next message is returned when the loop ends, so that
/// the next loop reports it (rule LL-34).
final class MessagePlace {
    private var base: Deliveries.Iterator
    private let event: String?
    private var gap: Gap?

    /// - Parameter event: messages of other events are skipped; a gap before a skipped message is reported with the next message that
    ///   is returned. Nil for all messages.
    init(base: Deliveries.Iterator, event: String? = nil) {
        self.base = base
        self.event = event
    }

    deinit {
        if let gap { base.base.putBack(.delivery(.gap(gap))) }
    }

    func next() async -> Message? {
        while let delivery = await base.next() {
            switch delivery {
            case .message(var message):
                if let event, !message.event.isExactly(event) { continue }
                message.precedingGap = gap
                gap = nil
                return message
            case .gap(let later):
                gap = gap?.joined(with: later) ?? later
            case .failed(let error, _):
                // Rule LL-33. Other failures lose no message, or declare a separate gap.
                guard error.code == .decryptionFailed else { continue }
                let unread = base.gap(.undecryptable, of: 1)
                gap = gap?.joined(with: unread) ?? unread
            }
        }
        return nil
    }
}
