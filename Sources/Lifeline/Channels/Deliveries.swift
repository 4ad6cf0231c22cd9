import ConnectionEngine
import EngineRuntime
import Identifiers

/// The messages, gaps and failures of a channel, as an async sequence for one consumer. The sequence ends with the room, with the client,
/// or when the consuming task is cancelled.
///
/// The sequence is bounded: when a consumer falls further behind than ``ClientOptions/backlog``, messages are dropped and a gap takes their
/// place. A later loop over the same sequence continues where an earlier one ended; a second loop at the same time ends the first.
public struct Deliveries: AsyncSequence, Sendable {
    /// A message, a gap or a failure.
    public typealias Element = Delivery
    /// Iteration cannot throw; failures are elements.
    public typealias Failure = Never

    let stream: EventStream<RoomItem>
    let channel: String
    /// When the sequence was created. The start of a gap before the first message is derived from this time.
    let start: Moment
    let clock: FeedClock
    let hold: RoomHold

    /// How many messages were dropped for this sequence because its consumer was too slow.
    public var droppedCount: Int { stream.droppedCount }

    /// Makes the iterator of a `for await` loop. It continues after the last element that an earlier loop has read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), channel: channel, last: start, clock: clock, hold: hold)
    }

    /// Iterates over the deliveries. Only one task may use an iterator.
    public struct Iterator: AsyncIteratorProtocol {
        var base: EventStream<RoomItem>.Iterator
        let channel: String
        /// When the latest message that this loop has delivered was received. Before the first message, the time at which the sequence was
        /// created. The start of a gap that follows is derived from this time.
        var last: Moment
        let clock: FeedClock
        /// Keeps the room subscribed while a consumer reads this sequence.
        let hold: RoomHold

        /// Waits for the next delivery. Returns nil at the end of the sequence.
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

        /// A gap for messages that are missing at this point and whose number is known (rule LL-8).
        func gap(_ reason: Gap.Reason, of count: Int) -> Gap {
            Gap(channel: channel, since: clock.publishedBefore(last), reason: reason, dropped: count, at: clock.now())
        }
    }
}

/// The messages of a channel, as an async sequence for one consumer. A message that follows a gap, or a message that could not be
/// decrypted, has a ``Message/precedingGap``. The sequence ends, and drops messages for a slow consumer, as ``Deliveries`` does.
public struct Messages: AsyncSequence, Sendable {
    /// A message.
    public typealias Element = Message
    /// Iteration cannot throw; missing messages are reported by ``Message/precedingGap``.
    public typealias Failure = Never

    let deliveries: Deliveries

    /// How many messages were dropped for this sequence because its consumer was too slow.
    public var droppedCount: Int { deliveries.droppedCount }

    /// Makes the iterator of a `for await` loop. It continues after the last message that an earlier loop has read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: deliveries.makeAsyncIterator())
    }

    /// Iterates over the messages. Only one task may use an iterator.
    public struct Iterator: AsyncIteratorProtocol {
        private let place: MessagePlace

        init(base: Deliveries.Iterator) {
            place = MessagePlace(base: base)
        }

        /// Waits for the next message. Returns nil at the end of the sequence.
        public mutating func next() async -> Message? {
            await place.next()
        }
    }
}

/// The state of one loop over messages: its iterator and the gap before the next message. If the loop ends before that message, the gap is
/// put back into the stream, so that the next loop reports it (rule LL-34).
final class MessagePlace {
    private var base: Deliveries.Iterator
    private let event: String?
    private var gap: Gap?

    /// Makes the state of a loop.
    ///
    /// - Parameter event: only messages of this event are returned; nil for all messages. A gap before a skipped message is reported with
    ///   the next message that is returned.
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
                // A message that could not be decrypted is missing for the consumer, so it is added to the gap (rule LL-33). After other
                // failures no message is missing, or a separate gap reports the missing ones.
                guard error.code == .decryptionFailed else { continue }
                let unread = base.gap(.undecryptable, of: 1)
                gap = gap?.joined(with: unread) ?? unread
            }
        }
        return nil
    }
}
