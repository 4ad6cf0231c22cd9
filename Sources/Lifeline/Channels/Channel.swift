/// A channel of a client, subscribed or not.
public struct Channel: Sendable {
    /// The channel's name, as the service knows it.
    public let name: String
    let core: ClientCore

    /// Whether what is published here, and what arrives, is encrypted from end to end, so that the service cannot read it. See
    /// ``ClientOptions/requiresEncryption``.
    public var isEncrypted: Bool { core.adapter.encryptionGap(of: name) == nil }

    /// Subscribes, and returns when the service has confirmed.
    ///
    /// While the client is not connected it waits for the connection. The subscription then lasts, over every reconnect, until
    /// ``Room/unsubscribe()``: a channel is subscribed once per client, and all its rooms share that.
    ///
    /// - Throws: why the service refuses the channel; ``LifelineError/Code/disconnected`` when the connection was ended before the
    ///   confirmation; the connection's failure when nothing more is tried; ``LifelineError/Code/cancelled`` when the task was
    ///   cancelled, or the channel unsubscribed meanwhile. The channel is not subscribed then.
    public func subscribe() async throws(LifelineError) -> Room {
        try core.requireEncryption(of: name)
        let feed = await core.hub.join(name)
        do {
            try await core.adapter.subscribe(name) { [core, name] in
                // Whoever unsubscribed a moment ago had nothing to take back yet.
                if feed.isTakenBack { core.hub.forgetUnwanted(name) { core.adapter.unsubscribe(name) } }
            }
        } catch {
            // Whoever was told that it failed must not receive anything later.
            core.hub.leave(feed) { core.adapter.unsubscribe(name) }
            throw error
        }
        feed.endWaiting(isConfirmed: true)
        if feed.isTakenBack { throw LifelineError(.cancelled, "The channel was unsubscribed.") }
        return Room(feed: feed, core: core)
    }

    /// Ends the subscription of the channel, for all its rooms. A caller that still waits in ``subscribe()`` gets
    /// ``LifelineError/Code/cancelled``. Does nothing when the channel is not subscribed. See ``Room/unsubscribe()``.
    public func unsubscribe() {
        guard let feed = core.hub.feedIfAny(name) else { return }
        core.hub.takeBack(feed) { core.adapter.unsubscribe(name) }
    }

    /// Publishes a value, encoded as JSON.
    ///
    /// With PubNub, and with Pusher and the app's secret, it is one request, which needs no connection. Otherwise it goes over the
    /// connection: while there is none it waits, with chat for 30 s and with Pusher until the channel is subscribed again. Cancel the
    /// task to wait no longer.
    ///
    /// - Returns: what became of it. A message is seen once or not at all; one that chat has to send again is known again.
    /// - Throws: what is wrong with the call itself, before anything was sent: ``LifelineError/Code/unencodable``,
    ///   ``LifelineError/Code/unsupported``, ``LifelineError/Code/badRequest``.
    public func publish(
        _ value: some Encodable, event: String = Message.defaultEvent, options: PublishOptions = PublishOptions()
    ) async throws(LifelineError) -> PublishOutcome {
        try core.requireEncryption(of: name)
        return try await core.adapter.publish(Publication(channel: name, event: event, value: value, options: options))
    }

    /// Publishes JSON text as it is. See ``publish(_:event:options:)``.
    public func publish(
        json: String, event: String = Message.defaultEvent, options: PublishOptions = PublishOptions()
    ) async throws(LifelineError) -> PublishOutcome {
        try core.requireEncryption(of: name)
        return try await core.adapter.publish(Publication(channel: name, event: event, json: json, options: options))
    }

    /// Who is present in the channel now, asked of the service; the channel does not have to be subscribed, nor the client
    /// connected, except for chat. See ``Room/presence`` for what is kept up to date.
    ///
    /// Members have no ``Member/info`` where the service does not tell it, as Pusher's HTTP API does not. Of PubNub's channels the
    /// first 10,000 are told, of chat's open channels the first 500.
    ///
    /// - Throws: ``LifelineError/Code/unsupported`` when the service cannot be asked, as Pusher cannot without the app's secret;
    ///   ``LifelineError/Code/disconnected`` when it has to be asked over a connection and there is none.
    public func members() async throws(LifelineError) -> [Member] {
        try await core.adapter.members(of: name)
    }

    /// The last messages of the channel, oldest first. The client does not have to be connected, except for chat.
    ///
    /// - Parameter count: at least 1. The service may keep fewer.
    /// - Throws: ``LifelineError/Code/unsupported`` when the service keeps none, as Pusher does not;
    ///   ``LifelineError/Code/disconnected`` when it has to be asked over a connection and there is none;
    ///   `decryptionFailed` when one of the messages cannot be decrypted: ``history(before:limit:)`` gives the others.
    public func history(last count: Int) async throws(LifelineError) -> [Message] {
        guard count > 0 else { throw LifelineError(.badRequest, "At least one message has to be asked for.") }
        return try await core.adapter.history(of: name, last: count)
    }

    /// One page of the channel's history, by one request. Messages that cannot be decrypted are told one by one.
    ///
    /// - Parameters:
    ///   - id: the ``Message/id`` of a message, or ``HistoryPage/older`` of another page: the page ends before it. Nil for the
    ///     latest messages.
    ///   - limit: 1 ... 100; more counts as 100.
    /// - Throws: as ``history(last:)``; ``LifelineError/Code/badRequest`` for what is no id of the service.
    public func history(before id: String? = nil, limit: Int = 100) async throws(LifelineError) -> HistoryPage {
        guard limit > 0 else { throw LifelineError(.badRequest, "At least one message has to be asked for.") }
        return try await core.adapter.history(
            of: name, HistoryRequest(before: id, limit: min(limit, HistoryRequest.mostMessages)))
    }
}
