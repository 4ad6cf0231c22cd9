import Identifiers
import NIOCore
import PusherProtocol
import ServerRuntime
import ServerStorage

// The operations on channels that connections and HTTP requests call.
extension PusherService {
    /// Publishes an event of the application's own server, and stores it if the channel is a cache channel.
    ///
    /// - Parameters:
    ///   - user: the user id that subscribers see as the sender, as in client events.
    ///   - isBridged: whether the event came from another service.
    func publish(
        event: String, data: String, to name: String, application: Application, excluding: SocketID? = nil,
        user: String? = nil, isBridged: Bool = false
    ) {
        let traits = ChannelTraits(of: PusherChannelKind(of: name))
        var publication = ChannelPublication(
            channel: ChannelID(application: application.id, name: name), traits: traits, application: application,
            frame: PusherWire.frame(PusherFrames.event(name: event, channel: name, data: data, userID: user)),
            source: .server, excluding: excluding)
        if traits.contains(.cached) {
            publication.cached = CachedMessage(
                event: event, data: data, expires: now.advanced(by: application.limits.cacheLifetime))
        }
        count(published: 1, of: application)
        if !isBridged { publication.bridged = BridgedEvent(event: event, data: data) }
        channels.publish(publication)
    }

    /// Counts events of the application's own server, one for each channel.
    func count(published count: Int, of application: Application) {
        eventCounts.withLockedValue { $0[Identifier(application.id), default: EventCounts()].published += count }
    }

    /// The event loops that have subscribers of one of these channels and whose queues are full; empty when events may be published.
    func congestion(of channels: some Sequence<String>, in application: Application) -> EventLoopSet {
        let full = context.congestion.full
        guard !full.isEmpty else { return full }
        var concerned = EventLoopSet()
        for name in channels {
            let channel = ChannelID(application: application.id, name: name)
            for eventLoopID in self.channels.audience(of: channel) where full.contains(eventLoopID) {
                concerned.insert(eventLoopID)
            }
        }
        return concerned
    }

    /// Passes a client event to the other subscribers; returns the event loops whose queues are full.
    func relay(_ event: PusherClientEvent, application: Application, from sender: SocketID) -> EventLoopSet {
        eventCounts.withLockedValue { $0[Identifier(application.id), default: EventCounts()].relayed += 1 }
        // In a cluster, the console's live feed does not show the event here, but on each server that delivers the event (``show(_:in:)``).
        if forwarder == nil {
            context.feed.tell(
                FeedEvent(
                    .client, .pusher, application: application.id, channel: event.channel, name: event.name, user: event.userID,
                    bytes: event.data.utf8.count, payload: event.data))
        }
        return channels.publish(
            ChannelPublication(
                channel: ChannelID(application: application.id, name: event.channel),
                traits: ChannelTraits(of: PusherChannelKind(of: event.channel)), application: application,
                frame: PusherWire.frame(event.message), source: .client(event), excluding: sender))
    }

    /// Subscribes a connection. The confirmation is queued before any event of the channel.
    ///
    /// - Parameters:
    ///   - recovery: the requested replay, for connections with recovery; nil for others.
    ///   - completion: called once, on any thread.
    func subscribe(
        _ subscriber: ChannelSubscriber, to name: String, member: PresenceMember?, _ recovery: SubscriptionRecovery? = nil,
        application: Application, completion: @escaping @Sendable (Result<SubscriptionGrant, SubscribeRefusal>) -> Void
    ) {
        channels.subscribe(
            ChannelSubscription(
                channel: ChannelID(application: application.id, name: name),
                traits: ChannelTraits(of: PusherChannelKind(of: name)), application: application, subscriber: subscriber,
                member: member, recovery: recovery),
            completion: completion)
    }

    /// Ends a subscription and notifies the remaining members; returns the event loops whose queues are full.
    func unsubscribe(
        _ subscriber: ChannelSubscriber, from subscription: PusherFront.Subscription, application: Application
    ) -> EventLoopSet {
        channels.unsubscribe(
            EndedSubscription(
                channel: ChannelID(application: application.id, name: subscription.channel), application: application,
                eventLoopID: subscriber.eventLoopID, socketID: subscriber.socketID, userID: subscription.userID,
                subscriber: subscriber))
    }

    /// Ends the subscriptions of a closed connection. Remaining members are notified, unless their connections are about to close as well.
    func unsubscribe(
        _ socketID: SocketID, at eventLoopID: Int, from subscriptions: [PusherFront.Subscription], application: Application,
        isSilent: Bool
    ) {
        guard !subscriptions.isEmpty else { return }
        channels.unsubscribe(
            all: subscriptions.map { subscription in
                EndedSubscription(
                    channel: ChannelID(application: application.id, name: subscription.channel), application: application,
                    eventLoopID: eventLoopID, socketID: socketID, userID: subscription.userID, isSilent: isSilent)
            })
    }
}

// MARK: - Effects of commands

extension PusherService: ChannelNode {
    package var eventLoopIDs: EventLoopSet { context.eventLoopIDs }
    package var fullEventLoops: EventLoopSet { context.congestion.full }

    private func mailbox(_ eventLoopID: Int) -> EventLoopMailbox<PusherLoop>? {
        let number = eventLoopID - context.firstEventLoopID
        return mailboxes.indices.contains(number) ? mailboxes[number] : nil
    }

    package func apply(_ change: ChannelChange) -> EventLoopSet {
        var full = EventLoopSet()
        switch change {
        case .deliver(let frame, let channel, let audience, let excluding, let positioned):
            if forwarder != nil { show(frame, in: channel) }
            for mailbox in mailboxes where audience.contains(mailbox.queue.eventLoopID) {
                guard mailbox.enqueue(.deliver(channel, frame, excluding: excluding, positioned: positioned)) else { continue }
                full.insert(mailbox.queue.eventLoopID)
            }
        case .subscribed(let subscriber, let channel, let confirmation):
            guard case .here(let connection, _) = subscriber.place else { break }
            mailbox(subscriber.eventLoopID)?.enqueue(.attach(connection, channel, confirmation: confirmation))
        case .unsubscribed(let subscriber, let channel):
            guard case .here(let connection, _) = subscriber.place else { break }
            mailbox(subscriber.eventLoopID)?.enqueue(.detach(connection, channel))
        case .tell(let connections, let eventLoopID, let frame): mailbox(eventLoopID)?.enqueue(.tell(connections, frame))
        case .close(let reason, let application, let user): close(reason, application: application, user: user)
        case .interrupt(let reason, let partition): for mailbox in mailboxes { mailbox.enqueue(.interrupt(reason, partition)) }
        }
        return full
    }

    package func tell(_ news: ChannelWebhookEvent.Kind, on channel: String, of application: Application) {
        webhooks.tell(news, on: channel, of: application)
    }

    package func tell(_ news: ChannelWebhookEvent.Kind, on channel: String, ofApplication id: String) {
        webhooks.tell(news, on: channel, ofApplication: id)
    }

    package func filled(_ channel: String, of application: Application) {
        webhooks.filled(channel, of: application)
    }
}
