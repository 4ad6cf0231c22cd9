import Crypto
import Identifiers
import ServerValues
import WireCoding

/// Stores the events that wait for a service's receivers, so that the next process of the service can send them (rules CR-43 to CR-45).
///
/// May be called from any thread and under locks: calls only enqueue.
package protocol WebhookJournal: AnyObject, Sendable {
    /// Stores an event until its number is passed to ``forget(_:)``.
    ///
    /// - Returns: the number of the stored event; nil when there is no room, so that the event is lost if this process ends.
    func keep(_ event: WebhookEvent, of application: Identifier, for receiver: WebhookReceiverName) -> UInt64?

    /// Removes stored events, by number, after they have been delivered or dropped.
    func forget(_ numbers: [UInt64])

    /// Returns the events of an application that the previous process has stored and not removed, in the order in which they were stored.
    /// Each event is returned only once.
    func claim(_ application: Identifier) -> [KeptWebhookEvent]

    /// The applications with events of the previous process that ``claim(_:)`` has not returned yet.
    var unclaimed: [Identifier] { get }

    /// Drops events of the previous process that reached the greatest age before a call of ``claim(_:)`` returned them.
    ///
    /// - Returns: the number of dropped events of each application.
    func expire() -> [Identifier: Int]
}

/// The name of a webhook receiver in stored events. It is derived from the receiver's address without revealing it, because an address
/// may contain a token.
package struct WebhookReceiverName: Hashable, Sendable {
    package let text: String
    /// How many receivers with the same address precede this one in the application's list.
    package let ordinal: UInt16

    package init(text: String, ordinal: UInt16 = 0) {
        self.text = text
        self.ordinal = ordinal
    }

    package init(url: String, ordinal: Int = 0) {
        self.init(text: Hex.text(SHA256.hash(data: Array(url.utf8)).prefix(16)), ordinal: UInt16(clamping: ordinal))
    }
}

/// A webhook event that another process has stored and not delivered.
package struct KeptWebhookEvent: Hashable, Sendable {
    package var application: Identifier
    package var receiver: WebhookReceiverName
    /// The event, with the number under which it is stored.
    package var event: WebhookEvent
    /// The time since the event was first stored.
    package var age: Duration

    package init(application: Identifier, receiver: WebhookReceiverName, event: WebhookEvent, age: Duration) {
        self.application = application
        self.receiver = receiver
        self.event = event
        self.age = age
    }
}
