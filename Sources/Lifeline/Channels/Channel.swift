/// A named channel of a client. The value can be used with or without a subscription.
public struct Channel: Sendable {
    /// The channel's name at the service.
    public let name: String
    let core: ClientCore

    /// Whether the channel's messages are encrypted from end to end, so that the service cannot read them. See
    /// ``ClientOptions/requiresEncryption``.
    public var isEncrypted: Bool { core.adapter.encryptionGap(of: name) == nil }

    /// Subscribes, and returns when the service has confirmed the subscription.
    ///
    /// Without a connection the call waits for one. The client renews the subscription after every reconnect, until ``Room/unsubscribe()``.
    /// Each call returns a separate room, which gets messages from this call on and can be ended separately. All rooms of the channel
    /// share one subscription, which ends with the last room.
    ///
    /// - Throws: the service's reason when it refuses the channel; ``LifelineError/Code/disconnected`` when the connection was ended before
    ///   the confirmation; the connection's failure when the client does not try again; ``LifelineError/Code/cancelled`` when the task was
    ///   cancelled or the channel unsubscribed in the meantime. After an error, the channel is not subscribed.
    public func subscribe() async throws(LifelineError) -> Room {
        try core.requireEncryption(of: name)
        let hold = await core.hub.join(name)
        let feed = hold.feed
        do {
            try await core.adapter.subscribe(name) { [core, name] in
                // If the room was unsubscribed before the adapter submitted the subscription, the unsubscription had no effect at the
                // service. The subscription is therefore ended here.
                if feed.isTakenBack { core.hub.forgetUnwanted(name) { core.adapter.unsubscribe(name) } }
            }
        } catch {
            // The room is removed from the client's hub, which distributes events to rooms: a caller that got an error must not receive
            // messages later.
            core.hub.leave(feed) { core.adapter.unsubscribe(name) }
            throw error
        }
        core.hub.confirm(name)
        if feed.isTakenBack {
            throw LifelineError(.cancelled, "The channel was unsubscribed before the service confirmed its subscription.")
        }
        return Room(hold: hold, core: core)
    }

    /// Ends the subscription of the channel and all its rooms, including rooms of other parts of the app. A caller that still waits in
    /// ``subscribe()`` gets ``LifelineError/Code/cancelled``. Does nothing when the channel is not subscribed. ``Room/unsubscribe()`` ends
    /// one room.
    public func unsubscribe() {
        core.hub.takeBackAll(name) { core.adapter.unsubscribe(name) }
    }

    /// Publishes a value, encoded as JSON.
    ///
    /// With PubNub, and with Pusher and the app's secret, publishing is one request and needs no connection. In all other cases the message
    /// is sent over the connection. Without a connection the message waits: with chat for 30 s, with Pusher until the channel is subscribed
    /// again. Cancel the task to stop waiting: a message that has not been sent is then never sent, and its outcome is `refused` with
    /// ``LifelineError/Code/cancelled``.
    ///
    /// Receivers get the value unchanged, over HTTP and over the connection. Messages of chat are JSON objects, so with chat any other
    /// value arrives as `{"content": …}`.
    ///
    /// - Returns: whether the service accepted or refused the message, or that the outcome is unknown. A message is delivered at most once:
    ///   only chat repeats a message, and its server recognises repetitions.
    /// - Throws: an error of the call itself, before anything was sent: ``LifelineError/Code/unencodable``,
    ///   ``LifelineError/Code/unsupported`` or ``LifelineError/Code/badRequest``.
    public func publish(
        _ value: some Encodable, event: String = Message.defaultEvent, options: PublishOptions = PublishOptions()
    ) async throws(LifelineError) -> PublishOutcome {
        try core.requireEncryption(of: name)
        return try await core.publish(Publication(channel: name, event: event, value: value, options: options))
    }

    /// Publishes JSON text without changes. ``publish(_:event:options:)`` describes waiting, outcome and delivery.
    ///
    /// - Throws: as ``publish(_:event:options:)``.
    public func publish(
        json: String, event: String = Message.defaultEvent, options: PublishOptions = PublishOptions()
    ) async throws(LifelineError) -> PublishOutcome {
        try core.requireEncryption(of: name)
        return try await core.publish(Publication(channel: name, event: event, json: json, options: options))
    }

    /// Requests the members who are present in the channel. The channel need not be subscribed, and only chat needs a connection. See
    /// ``Room/presence`` for a list that the client keeps up to date.
    ///
    /// Members have no ``Member/info`` when the service does not send the data, as with Pusher's HTTP API. The result has at most 10,000
    /// members of a PubNub channel and 500 of an open channel of chat.
    ///
    /// - Throws: ``LifelineError/Code/unsupported`` when the service has no such request, or when the client lacks the app's secret, which
    ///   Pusher requires for the request; ``LifelineError/Code/disconnected`` when the request needs a connection and there is none.
    public func members() async throws(LifelineError) -> [Member] {
        try await core.adapter.members(of: name)
    }

    /// Loads the last messages of the channel, oldest first. Only chat needs a connection for the request.
    ///
    /// Messages that cannot be decrypted are left out. The next message then has a ``Message/precedingGap`` with their number, and
    /// ``LifelineClient/events`` reports a problem. ``history(before:limit:)`` returns the ids of the messages that cannot be decrypted.
    ///
    /// - Parameter count: at least 1. The service may keep fewer messages.
    /// - Throws: ``LifelineError/Code/unsupported`` when the service keeps no messages, as Pusher does not;
    ///   ``LifelineError/Code/disconnected`` when the request needs a connection and there is none; ``LifelineError/Code/decryptionFailed``
    ///   when none of the messages can be decrypted.
    public func history(last count: Int) async throws(LifelineError) -> [Message] {
        try await readableHistory(last: count).messages
    }

    /// Loads the last `count` messages. If some of them cannot be decrypted, reports a problem to ``LifelineClient/events``. If none can be
    /// decrypted, throws the error of the latest one.
    package func readableHistory(last count: Int) async throws(LifelineError) -> RecentHistory {
        let recent = try await recentHistory(last: count)
        guard let error = recent.error else { return recent }
        if recent.messages.isEmpty { throw error }
        let reason = "\(recent.unread) of the last messages of \(name) could not be read. \(error.reason)"
        core.hub.tell(LifelineError(error.code, reason))
        return recent
    }

    /// Loads the last `count` messages. The result also has the number of messages that could not be decrypted and the error of the latest
    /// one.
    package func recentHistory(last count: Int) async throws(LifelineError) -> RecentHistory {
        guard count > 0 else { throw LifelineError(.badRequest, "The message count is \(count); it must be at least 1.") }
        return try await core.adapter.history(of: name, last: count)
    }

    /// Loads one page of the channel's history with one request. Messages that cannot be decrypted are listed as ``HistoryPage/failures``.
    ///
    /// - Parameters:
    ///   - id: the page ends before this message: the ``Message/id`` of a message, or ``HistoryPage/older`` of another page. Nil for the
    ///     latest messages.
    ///   - limit: how many messages the page has, 1 ... 100; larger values count as 100.
    /// - Throws: as ``history(last:)``; ``LifelineError/Code/badRequest`` for an invalid id.
    public func history(before id: String? = nil, limit: Int = 100) async throws(LifelineError) -> HistoryPage {
        guard limit > 0 else { throw LifelineError(.badRequest, "The message count is \(limit); it must be at least 1.") }
        return try await core.adapter.history(
            of: name, HistoryRequest(before: id, limit: min(limit, HistoryRequest.mostMessages)))
    }
}
