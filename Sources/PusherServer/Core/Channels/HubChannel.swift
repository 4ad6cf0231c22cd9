import ServerValues

/// One channel of a shard. Kept small, because a server may have a million of them.
struct HubChannel: Sendable {
    /// Values that only few channels need: members and a cached message.
    private struct Parts: Sendable {
        /// The members; empty unless the channel is a presence channel.
        var roster = PresenceRoster()
        var cached: CachedMessage?
    }

    private var loops = EventLoopCounts()
    /// Empty, or one element if the channel has had a member or a cached message.
    private var parts: [Parts] = []
    var count = CountAnnouncement()
    let traits: ChannelTraits

    init(traits: ChannelTraits) {
        self.traits = traits
    }

    var subscriptions: Int { loops.total }
    /// The event loops with at least one subscription.
    var audience: EventLoopSet { loops.audience }
    /// The members; empty unless the channel is a presence channel.
    var roster: PresenceRoster { parts.first?.roster ?? PresenceRoster() }

    var cached: CachedMessage? {
        get { parts.first?.cached }
        set { if newValue != nil || !parts.isEmpty { withParts { $0.cached = newValue } } }
    }

    /// Adds a subscription; returns true when it is the user's first connection.
    mutating func add(eventLoopID: Int, member: PresenceMember?) -> Bool {
        loops.add(eventLoopID)
        guard let member else { return false }
        return withParts { parts in
            defer { parts.roster.encode() }
            return parts.roster.join(member)
        }
    }

    /// Removes a subscription. Returns nil when the event loop has no subscription, and true when it was the user's last connection.
    mutating func remove(eventLoopID: Int, userID: String?) -> Bool? {
        guard loops.remove(eventLoopID) else { return nil }
        guard let userID, !parts.isEmpty else { return false }
        return withParts { $0.roster.leave(userID: userID) }
    }

    private mutating func withParts<Result>(_ body: (inout Parts) -> Result) -> Result {
        if parts.isEmpty { parts = [Parts()] }
        // in bounds: an empty array got its element in the line above.
        return body(&parts[0])
    }

    func cached(at now: MonotonicInstant) -> CachedMessage? {
        cached.flatMap { $0.expires > now ? $0 : nil }
    }

    func occupancy(name: String) -> ChannelOccupancy? {
        guard subscriptions > 0 else { return nil }
        return ChannelOccupancy(
            name: name, subscriptions: subscriptions, users: traits.contains(.presence) ? roster.count : nil)
    }
}
