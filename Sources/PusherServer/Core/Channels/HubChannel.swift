import ServerValues

/// One channel of a shard.
struct HubChannel: Sendable {
    let traits: ChannelTraits
    private(set) var subscriptions = 0
    /// Event loops with at least one subscription.
    private(set) var audience = EventLoopSet()
    /// The number of subscriptions of each event loop, up to the highest event loop that ever had one.
    private var perEventLoop: [Int32] = []
    /// The members; empty without the presence trait.
    private(set) var roster = PresenceRoster()
    var cached: CachedMessage?
    var count = CountAnnouncement()

    init(traits: ChannelTraits) {
        self.traits = traits
    }

    /// Adds a subscription; returns true when it is the user's first connection.
    mutating func add(eventLoopID: Int, member: PresenceMember?) -> Bool {
        while perEventLoop.count <= eventLoopID { perEventLoop.append(0) }
        perEventLoop[eventLoopID] += 1
        audience.insert(eventLoopID)
        subscriptions += 1
        guard let member else { return false }
        defer { roster.encode() }
        return roster.join(member)
    }

    /// Removes a subscription. Returns nil when the event loop has none, and true when it was the user's last connection.
    mutating func remove(eventLoopID: Int, userID: String?) -> Bool? {
        guard perEventLoop.indices.contains(eventLoopID), perEventLoop[eventLoopID] > 0 else { return nil }
        perEventLoop[eventLoopID] -= 1
        if perEventLoop[eventLoopID] == 0 { audience.remove(eventLoopID) }
        subscriptions -= 1
        return userID.map { roster.leave(userID: $0) } ?? false
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
