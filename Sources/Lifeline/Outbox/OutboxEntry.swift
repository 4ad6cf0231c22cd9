import Identifiers

/// A message of an ``Outbox`` at one moment: waiting, being sent, or failed. An accepted message is no longer an entry.
public struct OutboxEntry: Identifiable, Hashable, Sendable {
    /// The outbox's own id of a message. It stays the same over restarts and retries.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        let name: Identifier

        init(_ name: Identifier) {
            self.name = name
        }

        /// An id that was kept as text, such as in an app's own database.
        public init(_ text: String) {
            name = Identifier(text)
        }

        /// The id as text.
        public var description: String { name.text }
    }

    /// The state of a message.
    public enum State: Hashable, Sendable {
        /// The message waits for the connection, for earlier messages of its channel, or for the next attempt.
        case waiting
        /// The message is being sent.
        case sending
        /// The service has refused the message. ``Outbox/retry(_:)`` is safe.
        case refused(LifelineError)
        /// It is unknown whether the message has arrived. After ``Outbox/retry(_:)`` it may arrive twice.
        case unknown(LifelineError)
        /// The lifetime of the message ended before it was sent. ``Outbox/retry(_:)`` is safe.
        case expired

        /// Whether the message stays as it is unless the app calls ``Outbox/retry(_:)``.
        public var isFailed: Bool {
            switch self {
            case .waiting, .sending: false
            case .refused, .unknown, .expired: true
            }
        }
    }

    /// The outbox's own id of the message.
    public let id: ID
    /// The channel that the message is for.
    public let channel: String
    /// The event's name.
    public let event: String
    /// The payload as JSON text.
    public let json: String
    /// The state of the message.
    public let state: State

    init(_ item: OutboxItem) {
        id = ID(item.id)
        channel = item.record.channel
        event = item.record.event
        json = item.record.json
        state = item.state
    }
}
