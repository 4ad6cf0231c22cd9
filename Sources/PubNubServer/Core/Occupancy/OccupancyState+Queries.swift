import Identifiers

/// The users on one channel, and the channel's rules for publishing presence events.
struct OccupancyChannel: Sendable {
    var roster = OccupancyRoster()
    var announcer = OccupancyAnnouncer()
}

extension OccupancyState {
    /// One page of the users on a channel, in the order in which they joined.
    ///
    /// - Parameters:
    ///   - channel: the channel's id.
    ///   - offset: the number of users to skip.
    ///   - limit: the largest number of users on the page; 0 returns only the count.
    package func hereNow(_ channel: Identifier, offset: Int = 0, limit: Int = 1000) -> OccupancyPage {
        guard let roster = channels[channel]?.roster else { return OccupancyPage(occupancy: 0, occupants: []) }
        return OccupancyPage(
            occupancy: roster.count, occupants: limit > 0 ? roster.page(offset: offset, limit: limit) : [])
    }

    /// The channels with users, in no particular order. Callers sort them without the lock, because sorting takes long.
    package var unsortedChannels: [Identifier] { Array(channels.keys) }

    /// The users who are present on at least one channel, in no particular order.
    package var unsortedUsers: [Identifier] { Array(visits.keys) }

    /// The number of channels with users.
    package var channelCount: Int { channels.count }

    /// The channels that a user is on, in no particular order.
    package func unsortedChannels(of user: Identifier) -> [Identifier] { visits[user].map { Array($0) } ?? [] }

    /// Channels with users, sorted by name.
    package var occupiedChannels: [Identifier] { channels.keys.sorted() }

    /// The number of users on a channel.
    package func occupancy(of channel: Identifier) -> Int { channels[channel]?.roster.count ?? 0 }

    /// The channels that a user is on, sorted by name.
    package func whereNow(_ user: Identifier) -> [Identifier] { visits[user]?.sorted() ?? [] }
}
