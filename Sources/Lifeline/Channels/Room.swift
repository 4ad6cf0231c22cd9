/// A handle for one subscriber of a channel, such as one screen of an app. Each call of ``Channel/subscribe()`` returns a new room. All
/// rooms of a channel share one subscription at the service, which ends with the last room.
///
/// A room can be read in two ways. ``messages`` has messages only, and each message has a property for missing messages before it. In
/// ``deliveries`` gaps and failures are separate elements, which a `switch` has to handle.
public struct Room: Sendable {
    let hold: RoomHold
    let core: ClientCore

    /// The channel's name.
    public var name: String { hold.feed.channel }
    /// The channel, for publishing and for its history.
    public var channel: Channel { Channel(name: name, core: core) }
    /// Whether the room has ended: by ``unsubscribe()``, by ``Channel/unsubscribe()``, or because the service refused to renew the
    /// subscription.
    public var isEnded: Bool { hold.feed.isEnded }

    /// The messages of the channel.
    ///
    /// The first sequence of a room, from this property or from ``deliveries``, begins with the room's subscription, so no message is lost
    /// between the confirmation of the subscription and the start of a loop. Each further sequence begins when the property is read.
    public var messages: Messages { Messages(deliveries: deliveries) }

    /// The messages, gaps and failures of the channel. The first sequence of the room begins with the room's subscription, as described at
    /// ``messages``.
    public var deliveries: Deliveries { hold.deliveries() }

    /// The members who are present in the channel.
    ///
    /// - Throws: ``LifelineError/Code/unsupported`` when the service has no presence for this channel.
    public var presence: Presence {
        get throws(LifelineError) {
            guard core.adapter.hasPresence(name) else {
                throw .unsupported(feature: "presence on channel \(name)", service: core.adapter.serviceName)
            }
            return Presence(hold: hold, core: core)
        }
    }

    /// Publishes a value, encoded as JSON. See ``Channel/publish(_:event:options:)``.
    ///
    /// - Throws: as ``Channel/publish(_:event:options:)``.
    public func publish(
        _ value: some Encodable, event: String = Message.defaultEvent, options: PublishOptions = PublishOptions()
    ) async throws(LifelineError) -> PublishOutcome {
        try await channel.publish(value, event: event, options: options)
    }

    /// Publishes JSON text without changes. See ``Channel/publish(json:event:options:)``.
    ///
    /// - Throws: as ``Channel/publish(_:event:options:)``.
    public func publish(
        json: String, event: String = Message.defaultEvent, options: PublishOptions = PublishOptions()
    ) async throws(LifelineError) -> PublishOutcome {
        try await channel.publish(json: json, event: event, options: options)
    }

    /// Loads the last messages of the channel, oldest first. See ``Channel/history(last:)``.
    ///
    /// - Throws: as ``Channel/history(last:)``.
    public func history(last count: Int) async throws(LifelineError) -> [Message] {
        try await channel.history(last: count)
    }

    /// Loads one page of the channel's history. See ``Channel/history(before:limit:)``.
    ///
    /// - Throws: as ``Channel/history(before:limit:)``.
    public func history(before id: String? = nil, limit: Int = 100) async throws(LifelineError) -> HistoryPage {
        try await channel.history(before: id, limit: limit)
    }

    /// Ends this room. Its sequences deliver the messages that have already arrived, then end. Other rooms of the channel continue; when
    /// the last room ends, the client unsubscribes the channel at the service. Works in every state of the connection; a second call does
    /// nothing.
    ///
    /// If a room and all its sequences are released without this call, the channel stays subscribed for ``LifelineClient/events``, until
    /// the channel's last other room is unsubscribed or ``Channel/unsubscribe()`` is called.
    public func unsubscribe() {
        core.hub.takeBack(hold.feed) { core.adapter.unsubscribe(name) }
    }
}
