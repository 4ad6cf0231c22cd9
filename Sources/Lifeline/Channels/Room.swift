/// A subscribed channel.
///
/// There are two ways to read it. ``messages`` has messages only, and each message says whether others may be missing before it.
/// In ``deliveries`` gaps and failures are elements of their own, which a `switch` has to handle.
public struct Room: Sendable {
    let feed: RoomFeed
    let core: ClientCore

    /// The channel's name.
    public var name: String { feed.channel }
    /// The channel, for publishing and for its history.
    public var channel: Channel { Channel(name: name, core: core) }
    /// Whether the subscription has ended: by ``unsubscribe()``, or because the service refused to renew it.
    public var isEnded: Bool { feed.isEnded }

    /// The messages of the channel.
    ///
    /// The first sequence of a channel, from here or from ``deliveries``, begins with the subscription, so no message is lost between
    /// the confirmation and the loop. Further sequences begin when the property is read.
    public var messages: Messages { Messages(deliveries: deliveries) }

    /// The messages, gaps and failures of the channel. It begins like ``messages``.
    public var deliveries: Deliveries { feed.deliveries() }

    /// The members who are present in the channel.
    ///
    /// - Throws: ``LifelineError/Code/unsupported`` when the service has no presence for this channel.
    public var presence: Presence {
        get throws(LifelineError) {
            guard core.adapter.hasPresence(name) else {
                throw .unsupported(feature: "presence on channel \(name)", service: core.adapter.serviceName)
            }
            return Presence(feed: feed)
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

    /// Publishes JSON text without changes. See ``Channel/publish(_:event:options:)``.
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

    /// Ends the subscription of the channel, for all its rooms. Sequences deliver the messages that had arrived before, then end.
    /// Works in every state of the connection.
    public func unsubscribe() {
        core.hub.takeBack(feed) { core.adapter.unsubscribe(name) }
    }
}
