import NIOCore
import PusherProtocol
import RealtimeHub
import ServerRuntime

extension PusherService {
    /// Publishes an event of the application's own server and remembers it for cache channels.
    ///
    /// - Parameters:
    ///   - user: told to subscribers, who see it as with client events.
    ///   - isBridged: whether the event came from another service.
    func publish(
        event: String, data: String, to name: String, application: Application, excluding: SocketID? = nil,
        user: String? = nil, isBridged: Bool = false
    ) {
        let channel = ChannelID(application: application.id, name: name)
        let frame = PusherWire.frame(PusherFrames.event(name: event, channel: name, data: data, userID: user))
        let traits = ChannelTraits(of: PusherChannelKind(of: name))
        withShard(of: channel) { shard in
            let audience: PartitionSet
            if traits.contains(.cached) {
                let message = CachedMessage(
                    event: event, data: data, expires: now.advanced(by: application.limits.cacheLifetime))
                audience = shard.publish(
                    message, to: channel, traits: traits, keeping: application.limits.cacheBytes / shardCount)
                if application.hasWebhooks { webhooks.filled(name, of: application) }
            } else {
                audience = shard.publish(to: channel)
            }
            deliver(frame, to: channel, in: audience, excluding: excluding)
            if !isBridged, let bridge, settings.bridgedID?.isExactly(application.id) == true {
                bridge.carry(event: event, data: data, channel: name)
            }
        }
    }

    /// The event loops with subscribers of these channels that have no room now; empty when there may be published.
    func congestion(of channels: some Sequence<String>, in application: Application) -> PartitionSet {
        let full = context.congestion.full
        guard !full.isEmpty else { return full }
        var concerned = PartitionSet()
        for name in channels {
            let channel = ChannelID(application: application.id, name: name)
            for partition in withShard(of: channel, { $0.audience(of: channel) }) where full.contains(partition) {
                concerned.insert(partition)
            }
        }
        return concerned
    }

    /// Hands a client's event to the other subscribers; returns the event loops that are full now.
    func relay(_ event: ClientEvent, application: Application, from sender: SocketID) -> PartitionSet {
        let channel = ChannelID(application: application.id, name: event.channel)
        let frame = PusherWire.frame(event.message)
        return withShard(of: channel) { shard in
            let full = deliver(frame, to: channel, in: shard.publish(to: channel, isFromClient: true), excluding: sender)
            if application.hasWebhooks { webhooks.tell(.clientEvent(event, sender: sender), on: channel.name, of: application) }
            return full
        }
    }

    /// Subscribes a connection, queues its confirmation and tells the others; returns the event loops that are full now.
    func subscribe(
        _ connection: NIOLoopBound<PusherConnection>, socketID: SocketID, on mailbox: EventLoopMailbox<PusherLoop>,
        to name: String,
        member: PresenceMember?, application: Application
    ) throws(SubscribeRefusal) -> PartitionSet {
        let channel = ChannelID(application: application.id, name: name)
        let traits = ChannelTraits(of: PusherChannelKind(of: name))
        let result = withShard(of: channel) { shard in
            Result { () throws(SubscribeRefusal) -> PartitionSet in
                var full = PartitionSet()
                let isNew = shard.occupancy(of: channel) == nil
                try quota.open(application, isNewChannel: isNew)
                let outcome: SubscribeOutcome
                do throws(SubscribeRefusal) {
                    outcome = try shard.subscribe(
                        to: channel, traits: traits, partition: mailbox.queue.number, member: member,
                        memberLimit: application.limits.presenceMembers, at: now)
                } catch {
                    quota.close(application, isChannelGone: isNew)
                    throw error
                }
                let confirmation = PusherWire.confirmation(of: name, isCache: traits.contains(.cached), outcome)
                // Whoever gets more than may wait for it is cut as a slow reader, and would be cut again each time it comes back.
                let limit = settings.maximumPendingBytes / 2
                if let added = outcome.memberAdded, confirmation.readableBytes > limit {
                    _ = shard.unsubscribe(from: channel, partition: mailbox.queue.number, userID: added.userID, at: now)
                    quota.close(application, isChannelGone: isNew)
                    throw SubscribeRefusal.tooManyMemberBytes(limit: limit)
                }
                mailbox.enqueue(.attach(connection, channel, confirmation: confirmation))
                if let added = outcome.memberAdded {
                    let frame = PusherWire.frame(PusherFrames.memberAdded(channel: name, member: PusherMember(added)))
                    full.formUnion(deliver(frame, to: channel, in: outcome.audience, excluding: socketID))
                }
                if application.hasWebhooks { webhooks.tell(outcome, of: channel, traits, application) }
                full.formUnion(announceCount(of: channel, traits, outcome.audience, application, &shard))
                return full
            }
        }
        return try result.get()
    }

    /// Ends a subscription and tells those who stay, unless they are about to go too; returns the event loops that are full now.
    /// `connection` is nil when it has gone altogether.
    @discardableResult
    func unsubscribe(
        _ connection: NIOLoopBound<PusherConnection>?, on mailbox: EventLoopMailbox<PusherLoop>, from name: String,
        userID: String?,
        application: Application, isSilent: Bool = false
    ) -> PartitionSet {
        let channel = ChannelID(application: application.id, name: name)
        return withShard(of: channel) { shard in
            var full = PartitionSet()
            guard let outcome = shard.unsubscribe(from: channel, partition: mailbox.queue.number, userID: userID, at: now) else {
                return full
            }
            quota.close(application, isChannelGone: outcome.becameVacant)
            if let connection { mailbox.enqueue(.detach(connection, channel)) }
            if let removed = outcome.memberRemoved, !isSilent {
                let frame = PusherWire.frame(PusherFrames.memberRemoved(channel: name, userID: removed))
                full = deliver(frame, to: channel, in: outcome.audience)
            }
            if application.hasWebhooks { webhooks.tell(outcome, of: channel, application) }
            guard !isSilent else { return full }
            let traits = ChannelTraits(of: PusherChannelKind(of: name))
            full.formUnion(announceCount(of: channel, traits, outcome.audience, application, &shard))
            return full
        }
    }

    /// Announces counts that were held back, and forgets what has expired.
    func sweepChannels() {
        let now = now
        for due in withEveryShard({ $0.sweep(at: now) }).joined() {
            let frame = PusherWire.frame(
                PusherFrames.subscriptionCount(channel: due.channel.name, count: due.subscriptions))
            deliver(frame, to: due.channel, in: due.audience)
            webhooks.tell(.subscriptionCount(due.subscriptions), on: due.channel.name, ofApplication: due.channel.application)
        }
    }

    private func announceCount(
        of channel: ChannelID, _ traits: ChannelTraits, _ audience: PartitionSet, _ application: Application,
        _ shard: inout ChannelShard
    ) -> PartitionSet {
        guard application.announcesSubscriptionCounts, !traits.contains(.presence), !audience.isEmpty,
            let count = shard.countToAnnounce(channel, at: now)
        else { return PartitionSet() }
        let frame = PusherWire.frame(PusherFrames.subscriptionCount(channel: channel.name, count: count))
        let full = deliver(frame, to: channel, in: audience)
        if application.hasWebhooks { webhooks.tell(.subscriptionCount(count), on: channel.name, of: application) }
        return full
    }
}
