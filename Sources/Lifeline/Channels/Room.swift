/// A subscribed channel.
///
/// Two ways to read it: ``messages`` for those who only want messages, each of which says whether others may be missing before it,
/// and ``deliveries``, where gaps and failures are elements of their own that a `switch` cannot overlook.
public struct Room: Sendable {
    let feed: RoomFeed
    let core: ClientCore

    /// The channel's name.
    public var name: String { feed.channel }
    /// The channel, to publish to it and to read its history.
    public var channel: Channel { Channel(name: name, core: core) }
    /// Whether the subscription has ended: by ``unsubscribe()``, or because the service refused to renew it.
    public var isEnded: Bool { feed.isEnded }

    /// The messages of the channel.
    ///
    /// The first sequence that is taken of a channel, here or from ``deliveries``, begins with the subscription itself, so that
    /// nothing is lost between the confirmation and the loop; further ones begin when they are taken.
    public var messages: Messages { Messages(deliveries: deliveries) }

    /// The messages of the channel, gaps and failures. See ``messages`` for where it begins.
    public var deliveries: Deliveries { feed.deliveries() }

    /// Who is in the channel.
    ///
    /// - Throws: ``LifelineError/Code/unsupported`` when the service does not tell for this channel.
    public var presence: Presence {
        get throws(LifelineError) {
            guard core.adapter.hasPresence(name) else {
                throw .unsupported(feature: "presence on channel \(name)", service: core.adapter.serviceName)
            }
            return Presence(feed: feed)
        }
    }

    /// Publishes a value, encoded as JSON. See ``Channel/publish(_:event:options:)``.
    public func publish(
        _ value: some Encodable, event: String = Message.defaultEvent, options: PublishOptions = PublishOptions()
    ) async throws(LifelineError) -> PublishOutcome {
        try await channel.publish(value, event: event, options: options)
    }

    /// Publishes JSON text as it is. See ``Channel/publish(_:event:options:)``.
    public func publish(
        json: String, event: String = Message.defaultEvent, options: PublishOptions = PublishOptions()
    ) async throws(LifelineError) -> PublishOutcome {
        try await channel.publish(json: json, event: event, options: options)
    }

    /// The last messages of the channel, oldest first. See ``Channel/history(last:)``.
    public func history(last count: Int) async throws(LifelineError) -> [Message] {
        try await channel.history(last: count)
    }

    /// One page of the channel's history. See ``Channel/history(before:limit:)``.
    public func history(before id: String? = nil, limit: Int = 100) async throws(LifelineError) -> HistoryPage {
        try await channel.history(before: id, limit: limit)
    }

    /// Ends the subscription of the channel, for all its rooms. Nothing arrives any more; the sequences hand out what had arrived
    /// before and end. Works in every state of the connection.
    public func unsubscribe() {
        core.hub.takeBack(feed) { core.adapter.unsubscribe(name) }
    }
}
