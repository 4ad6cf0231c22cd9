import EngineRuntime
import Identifiers
import PubNubProtocol

/// The events of one kind that a client receives, as an async sequence for one consumer. An addition to the Cocoa SDK.
///
/// The sequence ends when the client is released or the consuming task is cancelled. Its memory is bounded: a consumer that falls behind by
/// more than the limit misses messages, and the next element reports this in ``PNReceived/precedingGap``. The sequence does not use the
/// callback queue.
public struct PNSequence<Content: Sendable>: AsyncSequence, Sendable {
    public typealias Element = PNReceived<Content>
    public typealias Failure = Never

    let stream: EventStream<QueuedDelivery>
    /// The name of the channel, group or wildcard; nil for all channels.
    let name: String?
    let reader: MessageReader
    /// Whether a message is of the kind that this sequence delivers. It is called before a result is made from the message.
    let admits: @Sendable (PubNubMessage) -> Bool
    let select: @Sendable (Reading) -> Content?

    /// How many answers of the service were dropped because this consumer was too slow.
    public var droppedCount: Int { stream.droppedCount }

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), source: self)
    }

    /// Returns the elements one after the other. Only one task may use an iterator.
    public struct Iterator: AsyncIteratorProtocol {
        private let place: Place

        fileprivate init(base: EventStream<QueuedDelivery>.Iterator, source: PNSequence) {
            place = Place(base: base, source: source)
        }

        /// Waits for the next element; nil after the client was released or the task was cancelled.
        public mutating func next() async -> PNReceived<Content>? {
            await place.next()
        }
    }

    /// The messages and the gap that one `for await` loop has taken from the stream but not delivered yet. When the loop ends, they are put
    /// back into the stream, so that the next loop gets them (rule PK-79).
    private final class Place {
        private var base: EventStream<QueuedDelivery>.Iterator
        private let source: PNSequence
        private var messages: [PubNubMessage] = []
        private var position = 0
        private var batch: MessageBatch?
        private var gap: PNGap?

        init(base: EventStream<QueuedDelivery>.Iterator, source: PNSequence) {
            self.base = base
            self.source = source
        }

        deinit {
            if let batch, position < messages.count { base.putBack(.messages(Array(messages.dropFirst(position)), batch)) }
            if let gap { base.putBack(.gap(gap)) }
        }

        func next() async -> PNReceived<Content>? {
            while true {
                if let content = nextOfBatch() {
                    defer { gap = nil }
                    return PNReceived(content: content, precedingGap: gap)
                }
                switch await base.next() {
                case .messages(let messages, let batch):
                    self.messages = messages
                    self.batch = batch
                    position = 0
                case .gap(let gap):
                    if source.name.map(gap.concerns) ?? true { self.gap = self.gap ?? gap }
                case .status, .completion, .network:
                    continue
                case nil:
                    return nil
                }
            }
        }

        private func nextOfBatch() -> Content? {
            while let batch, position < messages.count {
                let message = messages[position]
                position += 1
                guard source.concerns(message), let content = source.select(source.reader.read(message, batch)) else { continue }
                return content
            }
            messages = []
            batch = nil
            return nil
        }
    }

    private func concerns(_ message: PubNubMessage) -> Bool {
        guard admits(message) else { return false }
        guard let name else { return true }
        return message.channel.withoutPresenceSuffix.isExactly(name)
            || message.subscription?.withoutPresenceSuffix.isExactly(name) ?? false
    }
}

/// A sequence of the messages of a channel, for one consumer. See ``PubNub/messages(on:limit:)``.
public typealias PNMessages = PNSequence<PNMessageData>
/// A sequence of the signals of a channel, for one consumer. See ``PubNub/signals(on:limit:)``.
public typealias PNSignals = PNSequence<PNSignalData>
/// A sequence of the presence events of a channel, for one consumer. See ``PubNub/presence(on:limit:)``.
public typealias PNPresenceEvents = PNSequence<PNPresenceEventData>
