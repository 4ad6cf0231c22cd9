import WireCoding

/// A message between two services: what all of them can say.
package struct BridgedMessage: Hashable, Sendable {
    /// The service that it comes from, by ``BridgedFront/bridgeName``.
    package var origin: String
    package var channel: String
    /// The name of a Pusher event, the custom type of a PubNub message.
    package var event: String
    /// Who said it, as far as the origin knows.
    package var user: String?
    /// JSON text.
    package var data: JSONText

    package init(origin: String, channel: String, event: String, user: String?, data: JSONText) {
        self.origin = origin
        self.channel = channel
        self.event = event
        self.user = user
        self.data = data
    }
}

/// Where a front hands over what was published on its public channels. Calls are cheap enough to be made under a lock.
package protocol BridgeTap: Sendable {
    /// The name that plain texts have in services whose messages have none.
    var textEvent: String { get }
    /// Whether a channel is bridged: one that every service takes for public (rule BR-4).
    func accepts(channel: String) -> Bool
    /// Takes a message of a channel that is accepted.
    func carry(_ message: BridgedMessage)
}

/// A front whose public messages are shared with others.
package protocol BridgedFront: Sendable {
    /// The service by the word that clients of others see.
    var bridgeName: String { get }
    /// Whether the service takes a channel for public, by its name.
    func isPublic(channel: String) -> Bool
    /// Publishes a message of another service; false when this service cannot carry it.
    func publish(_ message: BridgedMessage) -> Bool
}
