import Identifiers

/// The state of a message of an ``Outbox`` at one moment: waiting, being sent, or failed. A message that the service has accepted is no
/// longer an entry.
public struct OutboxEntry: Identifiable, Hashable, Sendable {
    /// An id that the outbox gives a message; it stays the same over restarts and retries. The message id of the service is a different
    /// one.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        let name: Identifier

        init(_ name: Identifier) {
            self.name = name
        }

        /// Makes an id from the text that the app has stored, such as in its own database.
        public init(_ text: String) {
            name = Identifier(text)
        }

        /// The id as text. The initializer makes the same id from it.
        public var description: String { name.text }
    }

    /// Whether a message waits, is being sent, or has failed.
    public enum State: Hashable, Sendable {
        /// The message waits for the connection, for earlier messages of its channel, or for the next attempt.
        case waiting
        /// The message is being sent, and its outcome is not known yet.
        case sending
        /// The service has refused the message. ``Outbox/retry(_:)`` cannot make it arrive twice.
        case refused(LifelineError)
        /// It is unknown whether the message has arrived. After ``Outbox/retry(_:)`` it may arrive twice.
        case unknown(LifelineError)
        /// The lifetime of the message ended before it was sent. ``Outbox/retry(_:)`` cannot make it arrive twice.
        case expired

        /// Whether the message has failed, so that it stays in the outbox until the app retries or cancels it.
        public var isFailed: Bool {
            switch self {
            case .waiting, .sending: false
            case .refused, .unknown, .expired: true
            }
        }
    }

    /// The id of the message in the outbox.
    public let id: ID
    /// The channel to which the message is to be published.
    public let channel: String
    /// The event's name.
    public let event: String
    /// The payload as JSON text.
    public let json: String
    /// Whether the message waits, is being sent, or has failed.
    public let state: State

    init(_ item: OutboxItem) {
        id = ID(item.id)
        channel = item.record.channel
        event = item.record.event
        json = item.record.json
        state = item.state
    }
}
