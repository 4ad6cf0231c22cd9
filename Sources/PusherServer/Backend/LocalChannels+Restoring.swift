import PusherProtocol
import ServerRuntime
import ServerStorage

// Restores the state of a previous leader in this process. Call these methods before any node joins; no events are sent.
extension LocalChannels {
    /// Restores subscriptions to a channel, even if they exceed the limits.
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
                message, to: channel, traits: ChannelTraits(of: channel), keeping: application.limits.cacheBytes / shareCount)
        }
    }

    /// Starts a history for a channel that had subscribers with recovery under the previous leader. Unlike the other methods of this
    /// extension, it may be called at any time.
    func beginHistory(of channel: ChannelID, _ settings: RecoverySettings) {
        withShard(of: channel) { shard in
            guard shard.hub.occupancy(of: channel) != nil else { return }
            let hasBegun = shard.histories.begin(channel, room: settings.bytes / shareCount, epoch: newEpoch)
            shard.tellEnded()
            if hasBegun { shard.tellBegun(channel) }
        }
    }

    /// Restores the histories of one application. Call it after its subscriptions are restored.
    func restore(_ histories: [RestoredHistory], _ settings: RecoverySettings) {
        let now = now
        for history in histories {
            withShard(of: history.channel) { shard in
                let hub = shard.hub
                shard.histories.restore([history], settings, limit: settings.bytes / shareCount, at: now) {
                    hub.occupancy(of: $0) != nil
                }
            }
        }
    }

    /// Restores the signed-in connections of one application. Watchers are not notified of the restored status, because they received it
    /// from the previous leader.
    ///
    /// - Parameter offline: users who have just disconnected; watchers are notified when their grace period ends.
    func restore(
        _ connections: [(UserConnection, user: String, watchlist: [String])], offline: [String], of application: Application
    ) {
        let now = now
        withUsers(of: application) { users in
            // Signs in all users before any watchlist is set, so that no watcher is notified that a restored user came online. Users
            // who have just disconnected get placeholder connections, whose end starts the grace period.
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
