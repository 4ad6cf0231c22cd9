import WireCoding

/// A message that is copied from one service to another, reduced to the fields that all services have.
package struct BridgedMessage: Hashable, Sendable {
    /// The service of origin, by its ``BridgedFront/bridgeName``.
    package var origin: String
    package var channel: String
    /// The name of a Pusher event, or the custom type of a PubNub message.
    package var event: String
    /// The user who sent the message, if the service of origin has one.
    package var user: String?
    /// The data as JSON text.
    package var data: JSONText

    package init(origin: String, channel: String, event: String, user: String?, data: JSONText) {
        self.origin = origin
        self.channel = channel
        self.event = event
        self.user = user
        self.data = data
    }
}

/// A tap: receives the messages on a service's public channels, to copy them to other services. Calls are cheap enough to be made under a
/// lock.
package protocol BridgeTap: Sendable {
    /// Copies a message to the other services, if its channel and application are bridged.
    ///
    /// - Parameters:
    ///   - service: the service by its ``BridgedFront/bridgeName``.
    ///   - message: returns the message; called only if the message is needed. `textEvent` is the event name for text messages whose
    ///     service gives them no name. The result is nil for a message that other services cannot carry.
    func carry(
        from service: String, application: String, channel: String, _ message: (_ textEvent: String) -> BridgedMessage?)
}

/// A service of the server whose messages on public channels are copied to other services.
package protocol BridgedFront: Sendable {
    /// The name of the service in messages to clients of other services.
    var bridgeName: String { get }
    /// The application whose public channels are bridged, by its id, key or name; nil when the service is not bridged.
    var bridgedApplication: String? { get }
    /// Returns whether the service treats a channel as public, by its name.
    func isPublic(channel: String) -> Bool
    /// Publishes a message of another service to an application of this one; returns false when this service cannot carry it.
    ///
    /// - Parameter textEvent: the event name that text messages have if their service gives them no name.
    func publish(_ message: BridgedMessage, to application: String, textEvent: String) -> Bool
}
