import PusherProtocol
import RealtimeHub
import ServerRuntime

// Restores the state from before this process decided. To be called before any node joins: nobody is notified.
extension LocalChannels {
    /// Restores subscriptions, even beyond the limits.
    func restore(_ holding: ChannelHolding, of application: Application, eventLoopID: Int) {
        let traits = ChannelTraits(of: holding.channel)
        withShard(of: holding.channel) { shard in
            for _ in 0..<holding.count {
                let isNew = shard.hub.occupancy(of: holding.channel) == nil
                let outcome = try? shard.hub.subscribe(
                    to: holding.channel, traits: traits, eventLoopID: eventLoopID, member: holding.member, memberLimit: .max,
                    at: now)
                guard outcome != nil else { return }
                quota.restore(application, isNewChannel: isNew)
            }
        }
    }

    /// Restores the last event of a cache channel.
    func restore(_ message: CachedMessage, of channel: ChannelID, _ application: Application) {
        withShard(of: channel) { shard in
            _ = shard.hub.publish(
                message, to: channel, traits: ChannelTraits(of: channel), keeping: application.limits.cacheBytes / shardCount)
        }
    }

    /// Keeps the events of an occupied channel from now on, for connections that had recovery before. Unlike the others this may be
    /// called at any time.
    func beginHistory(of channel: ChannelID, _ settings: RecoverySettings) {
        withShard(of: channel) { shard in
            guard shard.hub.occupancy(of: channel) != nil else { return }
            let hasBegun = shard.histories.begin(channel, room: settings.bytes / shardCount, epoch: newEpoch)
            shard.tellEnded()
            if hasBegun { shard.tellBegun(channel) }
        }
    }

    /// Restores histories of one application, after its subscriptions.
    func restore(_ histories: [RestoredHistory], _ settings: RecoverySettings) {
        let now = now
        for history in histories {
            withShard(of: history.channel) { shard in
                let hub = shard.hub
                shard.histories.restore([history], settings, limit: settings.bytes / shardCount, at: now) {
                    hub.occupancy(of: $0) != nil
                }
            }
        }
    }

    /// Restores signed-in connections of one application. Watchers are assumed to know the present state.
    ///
    /// - Parameter offline: users who have just gone; watchers are notified if they stay away.
    func restore(
        _ connections: [(UserConnection, user: String, watchlist: [String])], offline: [String], of application: Application
    ) {
        let now = now
        withUsers(of: application) { users in
            // First all users and then their watchlists, so that nobody seems to come online while others watch.
            let phantoms = offline.enumerated().map { (UserConnection(eventLoopID: 0, high: 0, low: UInt64($0)), $1) }
            for (connection, user) in phantoms { _ = users.signIn(connection, as: user, watching: [], at: now) }
            for (connection, user, _) in connections { _ = users.signIn(connection, as: user, watching: [], at: now) }
            for (connection, user, watchlist) in connections where !watchlist.isEmpty {
                _ = users.signIn(connection, as: user, watching: watchlist, at: now)
            }
            for (connection, _) in phantoms { users.signOut(connection, at: now) }
        }
    }
}
