/// A message that was decoded as a value of the app's own type, or the error with which decoding failed.
public enum TypedMessage<Value: Sendable>: Sendable {
    /// The decoded payload, and the message that contained it.
    case value(Value, Message)
    /// The payload cannot be decoded as `Value`. The error names the path in the JSON, but not the payload.
    case undecodable(LifelineError, Message)

    /// The received message, whether its payload could be decoded or not.
    public var message: Message {
        switch self {
        case .value(_, let message), .undecodable(_, let message): message
        }
    }

    /// The decoded value; nil when the payload could not be decoded.
    public var value: Value? {
        if case .value(let value, _) = self { value } else { nil }
    }
}

/// The messages of one event of a channel, decoded, as an async sequence for one consumer. The sequence begins, ends and drops messages as
/// ``Deliveries`` does; a message that follows a gap has a ``Message/precedingGap``. Rule LL-85.
public struct TypedMessages<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    /// A message with its decoded value or its decoding error.
    public typealias Element = TypedMessage<Value>
    /// Iteration cannot throw; decoding errors are elements.
    public typealias Failure = Never

    let deliveries: Deliveries
    let event: String?

    /// How many messages were dropped for this sequence because its consumer was too slow, including messages of other events.
    public var droppedCount: Int { deliveries.droppedCount }

    /// Makes the iterator of a `for await` loop. It continues after the last message that an earlier loop has read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(place: MessagePlace(base: deliveries.makeAsyncIterator(), event: event))
    }

    /// Iterates over the decoded messages. Only one task may use an iterator.
    public struct Iterator: AsyncIteratorProtocol {
        let place: MessagePlace

        /// Waits for the next message of the event. Returns nil at the end of the sequence.
        public mutating func next() async -> TypedMessage<Value>? {
            guard let message = await place.next() else { return nil }
            do throws(LifelineError) {
                return .value(try message.decode(Value.self), message)
            } catch {
                return .undecodable(error, message)
            }
        }
    }
}

extension Room {
    /// The messages of one event, decoded. A message that cannot be decoded is a separate case, so that no message is skipped silently.
    ///
    /// ```swift
    /// for await price in room.messages(of: Price.self, event: "price") {
    ///     switch price {
    ///     case .value(let price, _): show(price)
    ///     case .undecodable(let error, _): report(error)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: the type of the payload.
    ///   - event: only messages of this event; nil for all.
    public func messages<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, event: String? = nil
    ) -> TypedMessages<Value> {
        TypedMessages(deliveries: deliveries, event: event)
    }
}
