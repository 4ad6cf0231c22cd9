/// One channel of a shard.
struct HubChannel: Sendable {
    let traits: ChannelTraits
    private(set) var subscriptions = 0
    /// Partitions with at least one subscription.
    private(set) var audience = PartitionSet()
    /// Subscriptions of each partition; as long as the highest partition that ever had one requires.
    private var perPartition: [Int32] = []
    /// Empty without the presence trait.
    private(set) var roster = PresenceRoster()
    var cached: CachedMessage?
    var count = CountAnnouncement()

    init(traits: ChannelTraits) {
        self.traits = traits
    }

    /// Adds a subscription; true when a user has joined with its first connection.
    mutating func add(partition: Int, member: PresenceMember?) -> Bool {
        while perPartition.count <= partition { perPartition.append(0) }
        perPartition[partition] += 1
        audience.insert(partition)
        subscriptions += 1
        return member.map { roster.join($0) } ?? false
    }

    /// Removes a subscription; nil when the partition has none, true when a user has left with its last connection.
    mutating func remove(partition: Int, userID: String?) -> Bool? {
        guard perPartition.indices.contains(partition), perPartition[partition] > 0 else { return nil }
        perPartition[partition] -= 1
        if perPartition[partition] == 0 { audience.remove(partition) }
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
