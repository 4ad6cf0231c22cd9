import Identifiers
import ServerValues

/// A part of the channels of a server: their subscriptions by event loop, members and last messages.
///
/// A value without locks, clocks and I/O. Its owner guards each shard with a lock of its own, so that channels of different shards do not
/// wait for each other, and selects a channel's shard with `index(of:among:)`. A shard does not list connections: it only counts the
/// subscriptions of each event loop, and each event loop lists its own connections (rule HB-3). Callers must subscribe a connection to a
/// channel at most once.
package struct ChannelShard: Sendable {
    private var channels: [ChannelID: HubChannel] = [:]
    /// Channels whose changed subscription count is published later.
    private var heldBack: Set<ChannelID> = []
    /// Channels with a cached message. These channels are searched for expired messages once a minute.
    private var remembering: Set<ChannelID> = []
    private var nextForgetting = MonotonicInstant(nanoseconds: .min)
    /// The size and order of each application's cached messages.
    private var messageOrders: [Identifier: CachedMessageOrder] = [:]

    /// An empty value.
    package init() {}

    /// The number of a channel's shard, below `count`.
    package static func index(of channel: ChannelID, among count: Int) -> Int {
        Int(UInt(bitPattern: channel.hashValue) % UInt(max(count, 1)))
    }

    /// The number of channels with at least one subscription.
    package private(set) var occupiedCount = 0

    /// The numbers of channels, subscriptions and members in this shard, by application id.
    package private(set) var tallies: [Identifier: ChannelTally] = [:]

    /// Adds one subscription of a connection in `eventLoopID` (0 ..< 64, clamped).
    ///
    /// Throws without a change when a presence channel is full or no member is given (rules HB-4, HB-5).
    ///
    /// - Throws: ``SubscribeRefusal``, with the reason.
    package mutating func subscribe(
        to id: ChannelID, traits: ChannelTraits, eventLoopID: Int, member: PresenceMember? = nil,
        memberLimit: Int = 100, at now: MonotonicInstant
    ) throws(SubscribeRefusal) -> SubscribeOutcome {
        let isPresence = traits.contains(.presence)
        if isPresence {
            guard let member else { throw .memberMissing }
            if let roster = channels[id]?.roster {
                guard roster.contains(userID: member.userID) || roster.count < memberLimit else {
                    throw .tooManyMembers(limit: memberLimit)
                }
            } else if memberLimit < 1 {
                throw .tooManyMembers(limit: memberLimit)
            }
        }
        let outcome = withChannel(id, traits: traits) { channel in
            let isFirst = channel.add(eventLoopID: Self.clamp(eventLoopID), member: isPresence ? member : nil)
            return SubscribeOutcome(
                becameOccupied: channel.subscriptions == 1, subscriptions: channel.subscriptions,
                roster: isPresence ? channel.roster : nil, memberAdded: isFirst ? member : nil, cached: channel.cached(at: now),
                audience: channel.audience)
        }
        if outcome.becameOccupied { occupiedCount += 1 }
        tally(id) { tally in
            tally.subscriptions += 1
            if outcome.becameOccupied { tally.channels += 1 }
            if outcome.memberAdded != nil { tally.members += 1 }
        }
        return outcome
    }

    /// Removes one subscription; returns nil when the channel has none in that event loop.
    ///
    /// `userID` is the id of the member with which the connection subscribed.
    package mutating func unsubscribe(
        from id: ChannelID, eventLoopID: Int, userID: String? = nil, at now: MonotonicInstant
    ) -> UnsubscribeOutcome? {
        guard let index = channels.index(forKey: id),
            let wasLast = channels.values[index].remove(eventLoopID: Self.clamp(eventLoopID), userID: userID)
        else { return nil }
        let remaining = channels.values[index].subscriptions
        tally(id) { tally in
            tally.subscriptions -= 1
            if remaining == 0 { tally.channels -= 1 }
            if wasLast { tally.members -= 1 }
        }
        let audience = channels.values[index].audience
        if remaining == 0 {
            occupiedCount -= 1
            if channels.values[index].cached(at: now) == nil { forget(id) }
        }
        return UnsubscribeOutcome(
            becameVacant: remaining == 0, subscriptions: remaining, memberRemoved: wasLast ? userID : nil, audience: audience)
    }

    /// The event loops that have subscribers of a channel.
    package func audience(of id: ChannelID) -> EventLoopSet {
        channels[id]?.audience ?? EventLoopSet()
    }

    /// Caches a message for later subscribers, and returns the event loops that must deliver it now (rule HB-6).
    ///
    /// - Parameters:
    ///   - message: the message to cache.
    ///   - id: the channel.
    ///   - traits: the channel's traits.
    ///   - limit: the size limit, in bytes, of the application's cached messages in this shard. The oldest messages are dropped when it is
    ///     exceeded (rule HB-94).
    package mutating func publish(
        _ message: CachedMessage, to id: ChannelID, traits: ChannelTraits, keeping limit: Int = .max
    ) -> EventLoopSet {
        remembering.insert(id)
        let audience = withChannel(id, traits: traits) { channel in
            channel.cached = message
            return channel.audience
        }
        let application = Identifier(id.application)
        messageOrders[application, default: CachedMessageOrder()].keep(id, message)
        while (messageOrders[application]?.bytes ?? 0) > limit {
            guard let oldest = messageOrders[application]?.takeOldest() else { break }
            forgetMessage(of: oldest)
        }
        return audience
    }

    /// The size, in bytes, of an application's cached messages in this shard.
    package func cachedBytes(application: String) -> Int {
        messageOrders[Identifier(application)]?.bytes ?? 0
    }

    /// The numbers of a channel's subscriptions and users; nil when it has no subscribers.
    package func occupancy(of id: ChannelID) -> ChannelOccupancy? {
        channels[id]?.occupancy(name: id.name)
    }

    /// The occupied channels of an application whose names begin with `prefix`, in no particular order.
    package func occupied(application: String, prefix: String) -> [ChannelOccupancy] {
        channels.compactMap { id, channel in
            guard id.application.isExactly(application), id.name.hasBytePrefix(prefix) else { return nil }
            return channel.occupancy(name: id.name)
        }
    }

    /// The members of a presence channel, in the order in which they joined.
    package func members(of id: ChannelID) -> [PresenceMember] {
        channels[id]?.roster.members ?? []
    }

    /// A cache channel's last message, unless it has expired.
    package func cached(_ id: ChannelID, at now: MonotonicInstant) -> CachedMessage? {
        channels[id]?.cached(at: now)
    }

    /// Returns the number of subscriptions to publish after a change; nil when its publication is delayed (rule HB-7).
    package mutating func countToAnnounce(_ id: ChannelID, at now: MonotonicInstant) -> Int? {
        guard let index = channels.index(forKey: id) else { return nil }
        let subscriptions = channels.values[index].subscriptions
        if channels.values[index].count.changed(to: subscriptions, at: now) {
            heldBack.remove(id)
            return subscriptions
        }
        heldBack.insert(id)
        return nil
    }

    /// Returns the delayed counts that have to be published now, and drops expired messages. Call it about once per second.
    package mutating func sweep(at now: MonotonicInstant) -> [CountDue] {
        forgetExpired(at: now)
        guard !heldBack.isEmpty else { return [] }
        var due: [CountDue] = []
        for id in heldBack {
            guard let index = channels.index(forKey: id) else { continue }
            guard channels.values[index].count.release(at: now) else { continue }
            let channel = channels.values[index]
            due.append(CountDue(channel: id, subscriptions: channel.subscriptions, audience: channel.audience))
        }
        heldBack = heldBack.filter { channels[$0]?.count.isHeldBack == true }
        return due
    }

    /// Drops expired messages, once a minute. An expired message is not returned to readers, even if it is not dropped yet.
    private mutating func forgetExpired(at now: MonotonicInstant) {
        guard !remembering.isEmpty, now >= nextForgetting else { return }
        nextForgetting = now.advanced(by: .seconds(60))
        for id in remembering {
            guard let index = channels.index(forKey: id) else { continue }
            guard channels.values[index].cached(at: now) == nil else { continue }
            strike(id)
            channels.values[index].cached = nil
            if channels.values[index].subscriptions == 0 { channels.remove(at: index) }
        }
        remembering = remembering.filter { channels[$0]?.cached != nil }
    }

    private mutating func tally(_ id: ChannelID, _ change: (inout ChannelTally) -> Void) {
        change(&tallies[Identifier(id.application), default: ChannelTally()])
    }

    private mutating func forgetMessage(of id: ChannelID) {
        remembering.remove(id)
        guard let index = channels.index(forKey: id) else { return }
        channels.values[index].cached = nil
        if channels.values[index].subscriptions == 0 { channels.remove(at: index) }
    }

    /// Updates the size and order of cached messages after a channel has lost its message.
    private mutating func strike(_ id: ChannelID) {
        let application = Identifier(id.application)
        messageOrders[application]?.forget(id)
        if messageOrders[application]?.isEmpty == true { messageOrders[application] = nil }
    }

    private mutating func forget(_ id: ChannelID) {
        strike(id)
        channels[id] = nil
        remembering.remove(id)
        heldBack.remove(id)
    }

    private mutating func withChannel<Result>(
        _ id: ChannelID, traits: ChannelTraits, _ body: (inout HubChannel) -> Result
    ) -> Result {
        body(&channels[id, default: HubChannel(traits: traits)])
    }

    private static func clamp(_ eventLoopID: Int) -> Int {
        min(max(eventLoopID, 0), EventLoopSet.capacity - 1)
    }
}
