import NIOCore
import PusherProtocol
import ServerRuntime
import ServerStorage

// Decisions about one channel, made under the lock of the channel's shard.
extension LocalChannels {
    @discardableResult
    package func publish(_ publication: ChannelPublication) -> EventLoopSet {
        let (channel, application) = (publication.channel, publication.application)
        return withShard(of: channel) { shard in
            let audience: EventLoopSet
            if let message = publication.cached {
                audience = shard.hub.publish(
                    message, to: channel, traits: publication.traits, keeping: application.limits.cacheBytes / shareCount)
                if application.hasWebhooks { nodes.first?.filled(channel.name, of: application) }
                remembering?(channel, message)
            } else {
                audience = shard.hub.audience(of: channel)
            }
            let isFromClient = if case .client = publication.source { true } else { false }
            let positioned = position(
                publication.frame, in: channel, application, &shard, excluding: publication.excluding,
                isKept: !isFromClient || application.recovery.includesClientEvents)
            let full = deliver(
                publication.frame, to: channel, in: audience, excluding: publication.excluding, positioned: positioned)
            if case .client(let event) = publication.source, application.hasWebhooks, let sender = publication.excluding {
                nodes.first?.tell(.clientEvent(event, sender: sender), on: channel.name, of: application)
            }
            if let bridged = publication.bridged { bridge?.carry(bridged, in: channel) }
            return full
        }
    }

    /// Gives an event its position, for connections with recovery; nil when the channel has no history.
    private func position(
        _ frame: ByteBuffer, in channel: ChannelID, _ application: Application, _ shard: inout LocalShard,
        excluding: SocketID? = nil, user: String? = nil, isKept: Bool = true
    ) -> PositionedEvent? {
        guard !shard.histories.isEmpty else { return nil }
        let now = now
        let event = shard.histories.add(
            frame, to: channel, excluding: excluding, user: user, isKept: isKept, application.recovery,
            limit: application.recovery.bytes / shareCount, at: now)
        if let leaving = shard.leaving, let event {
            leaving([.event(channel, event, isKept: isKept, expires: now.advanced(by: application.recovery.lifetime))])
        }
        shard.tellEnded()
        return event
    }

    package var answersAtOnce: Bool { true }
    package func subscriptionsAhead(of application: Application) -> Int { .max }

    package func subscribe(
        _ subscription: ChannelSubscription,
        completion: @escaping @Sendable (Result<SubscriptionGrant, SubscribeRefusal>) -> Void
    ) {
        let result = withShard(of: subscription.channel) { shard in
            Result { () throws(SubscribeRefusal) in try subscribe(subscription, &shard) }
        }
        completion(result)
    }

    private func subscribe(
        _ subscription: ChannelSubscription, _ shard: inout LocalShard
    ) throws(SubscribeRefusal) -> SubscriptionGrant {
        let (channel, traits, application) = (subscription.channel, subscription.traits, subscription.application)
        let eventLoopID = subscription.subscriber.eventLoopID
        let isNew = shard.hub.occupancy(of: channel) == nil
        try quota.open(application, isNewChannel: isNew, elsewhere: partition.usedElsewhere(of: application.id))
        let outcome: SubscribeOutcome
        do throws(SubscribeRefusal) {
            outcome = try shard.hub.subscribe(
                to: channel, traits: traits, eventLoopID: eventLoopID, member: subscription.member,
                memberLimit: application.limits.presenceMembers, at: now)
        } catch {
            quota.close(application, isChannelGone: isNew)
            throw error
        }
        let replay = replay(for: subscription, outcome, &shard)
        var confirmation = ByteBuffer()
        var isTooLong = false
        var confirmMembers: (() -> Void)?
        if let roster = outcome.roster, case .elsewhere(_, let confirm?) = subscription.subscriber.place {
            let after = PusherWire.latest(of: channel.name, isCache: traits.contains(.cached), outcome, replay?.outcome)
            isTooLong = roster.encoded.byteCount + after.readableBytes > maximumConfirmationBytes
            let parts = MemberConfirmation(before: replay?.frames ?? ByteBuffer(), recovery: replay?.outcome, after: after)
            confirmMembers = { confirm(roster, parts) }
        } else {
            confirmation = PusherWire.confirmation(
                of: channel.name, isCache: traits.contains(.cached), outcome, replay?.outcome)
            isTooLong = confirmation.readableBytes > maximumConfirmationBytes
        }
        if let added = outcome.memberAdded, isTooLong {
            if outcome.becameOccupied { shard.histories.vacated(channel, application.recovery, at: now) }
            _ = shard.hub.unsubscribe(from: channel, eventLoopID: eventLoopID, userID: added.userID, at: now)
            quota.close(application, isChannelGone: isNew)
            throw SubscribeRefusal.tooManyMemberBytes(limit: maximumConfirmationBytes)
        }
        var grant = SubscriptionGrant()
        grant.beganHistory = replay?.beganHistory
        if let replay, replay.frames.readableBytes > 0 {
            grant.replayed = replay.frames.readableBytes
            var frames = replay.frames
            frames.writeImmutableBuffer(confirmation)
            confirmation = frames
        }
        if let added = outcome.memberAdded { note(.added(added), of: channel, audience: outcome.audience) }
        if let confirmMembers {
            confirmMembers()
        } else {
            grant.full = apply(.subscribed(subscription.subscriber, channel, confirmation: confirmation), at: eventLoopID)
        }
        if let added = outcome.memberAdded {
            let frame = PusherWire.frame(PusherFrames.memberAdded(channel: channel.name, member: PusherMember(added)))
            let newcomer = subscription.subscriber.socketID
            let positioned = position(frame, in: channel, application, &shard, excluding: newcomer, user: added.userID)
            grant.full.formUnion(
                deliver(frame, to: channel, in: outcome.audience, excluding: newcomer, positioned: positioned))
        }
        if application.hasWebhooks { tell(outcome, of: channel, traits, application) }
        grant.full.formUnion(announceCount(of: channel, traits, to: outcome.audience, application, &shard))
        return grant
    }

    /// Returns the events that a connection with recovery receives in addition to the confirmation; nil for other connections.
    private func replay(
        for subscription: ChannelSubscription, _ outcome: SubscribeOutcome, _ shard: inout LocalShard
    ) -> Replay? {
        let channel = subscription.channel
        if outcome.becameOccupied, !shard.histories.isEmpty { shard.histories.occupied(channel) }
        guard let recovery = subscription.recovery, subscription.application.recovery.isEnabled else { return nil }
        let replay = shard.histories.join(
            channel, after: recovery.request, user: subscription.member?.userID, limit: recovery.limit,
            room: subscription.application.recovery.bytes / shareCount, mayBegin: recovery.mayBegin, at: now, epoch: newEpoch)
        shard.tellEnded()
        if replay.beganHistory { shard.tellBegun(channel) }
        return replay
    }

    @discardableResult
    package func unsubscribe(_ subscription: EndedSubscription) -> EventLoopSet {
        let (channel, application) = (subscription.channel, subscription.application)
        return withShard(of: channel) { shard in
            var full = EventLoopSet()
            let ended = shard.hub.unsubscribe(
                from: channel, eventLoopID: subscription.eventLoopID, userID: subscription.userID, at: now)
            guard let outcome = ended else { return full }
            quota.close(application, isChannelGone: outcome.becameVacant)
            if let subscriber = subscription.subscriber {
                full.formUnion(apply(.unsubscribed(subscriber, channel), at: subscription.eventLoopID))
            }
            if let removed = outcome.memberRemoved { note(.removed(userID: removed), of: channel, audience: outcome.audience) }
            if let removed = outcome.memberRemoved, !subscription.isSilent {
                let frame = PusherWire.frame(PusherFrames.memberRemoved(channel: channel.name, userID: removed))
                let positioned = position(frame, in: channel, application, &shard, user: removed)
                full.formUnion(deliver(frame, to: channel, in: outcome.audience, positioned: positioned))
            }
            if outcome.becameVacant, !shard.histories.isEmpty {
                shard.histories.vacated(channel, application.recovery, at: now)
            }
            if application.hasWebhooks { tell(outcome, of: channel, application) }
            guard !subscription.isSilent else { return full }
            let traits = ChannelTraits(of: PusherChannelKind(of: channel.name))
            full.formUnion(announceCount(of: channel, traits, to: outcome.audience, application, &shard))
            return full
        }
    }

    private func note(_ change: MemberChange, of channel: ChannelID, audience: EventLoopSet) {
        for node in nodes.all { node.note(change, of: channel, audience: audience) }
    }

    // MARK: Counts

    private func announceCount(
        of channel: ChannelID, _ traits: ChannelTraits, to audience: EventLoopSet, _ application: Application,
        _ shard: inout LocalShard
    ) -> EventLoopSet {
        guard application.announcesSubscriptionCounts, !traits.contains(.presence), !audience.isEmpty,
            let count = shard.hub.countToAnnounce(channel, at: now)
        else { return EventLoopSet() }
        let full = deliver(Self.frame(of: count, channel), to: channel, in: audience)
        if application.hasWebhooks { nodes.first?.tell(.subscriptionCount(count), on: channel.name, of: application) }
        return full
    }

    /// Publishes a subscription count that was delayed.
    func announce(_ due: CountDue) {
        _ = deliver(Self.frame(of: due.subscriptions, due.channel), to: due.channel, in: due.audience)
        nodes.first?.tell(
            .subscriptionCount(due.subscriptions), on: due.channel.name, ofApplication: due.channel.application)
    }

    private static func frame(of count: Int, _ channel: ChannelID) -> ByteBuffer {
        PusherWire.frame(PusherFrames.subscriptionCount(channel: channel.name, count: count))
    }

    // MARK: Webhooks

    /// Publishes the events of a new subscription and reports them to webhooks.
    private func tell(
        _ outcome: SubscribeOutcome, of channel: ChannelID, _ traits: ChannelTraits, _ application: Application
    ) {
        guard let node = nodes.first else { return }
        if outcome.becameOccupied { node.tell(.occupied, on: channel.name, of: application) }
        if let added = outcome.memberAdded { node.tell(.memberAdded(user: added.userID), on: channel.name, of: application) }
        if traits.contains(.cached), outcome.cached == nil { node.tell(.cacheMiss, on: channel.name, of: application) }
    }

    /// Publishes the events of an ended subscription and reports them to webhooks.
    private func tell(_ outcome: UnsubscribeOutcome, of channel: ChannelID, _ application: Application) {
        guard let node = nodes.first else { return }
        if let removed = outcome.memberRemoved { node.tell(.memberRemoved(user: removed), on: channel.name, of: application) }
        if outcome.becameVacant { node.tell(.vacated, on: channel.name, of: application) }
    }
}
