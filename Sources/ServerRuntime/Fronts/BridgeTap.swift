import WireCoding

/// A message between two services: the parts that all of them have.
package struct BridgedMessage: Hashable, Sendable {
    /// The service that it comes from, by ``BridgedFront/bridgeName``.
    package var origin: String
    package var channel: String
    /// The name of a Pusher event, the custom type of a PubNub message.
    package var event: String
    /// The user who sent it, as far as the service of origin knows.
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

/// Receives what is published on a service's public channels. Calls are cheap enough to be made under a lock.
package protocol BridgeTap: Sendable {
    /// Takes a message that was published to a channel, if that channel of that application is bridged.
    ///
    /// - Parameters:
    ///   - service: the service by its ``BridgedFront/bridgeName``.
    ///   - message: makes the message, only if it is taken, from the name that plain texts have in services whose messages have none.
    ///     Nil for what is not carried.
    func carry(
        from service: String, application: String, channel: String, _ message: (_ textEvent: String) -> BridgedMessage?)
}

/// A front whose public messages are shared with others.
package protocol BridgedFront: Sendable {
    /// The service by the word that clients of others see.
    var bridgeName: String { get }
    /// The application whose public channels are bridged, by its id, key or name; nil when the service is not bridged.
    var bridgedApplication: String? { get }
    /// Returns whether the service treats a channel as public, by its name.
    func isPublic(channel: String) -> Bool
    /// Publishes a message of another service to an application; false when this service cannot carry it.
    ///
    /// - Parameter textEvent: the name that plain texts have in services whose messages have none.
    func publish(_ message: BridgedMessage, to application: String, textEvent: String) -> Bool
}
