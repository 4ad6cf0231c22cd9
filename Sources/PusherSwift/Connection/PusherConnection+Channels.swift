import ConnectionEngine
import Foundation
import PusherProtocol

// Adds and removes channels. The lock `commands` is held while the table of channels and the engine's subscriptions change, so that both
// change in the same order.
extension PusherConnection {
    func subscribe(
        channelName: String, auth: PusherAuth?, onMemberAdded: ((PusherPresenceChannelMember) -> Void)?,
        onMemberRemoved: ((PusherPresenceChannelMember) -> Void)?, onSubscriptionCountChanged: ((Int) -> Void)?,
        timeout: TimeInterval? = nil
    ) -> PusherChannel {
        let isPresence = PusherChannelType.isPresenceChannel(name: channelName)
        return want(
            channelName, auth: auth, onMemberAdded: onMemberAdded, onMemberRemoved: onMemberRemoved,
            onSubscriptionCountChanged: onSubscriptionCountChanged, timeout: timeout
        ) {
            isPresence
                ? PusherPresenceChannel(name: channelName, connection: self)
                : PusherChannel(name: channelName, connection: self)
        }
    }

    func subscribeToPresenceChannel(
        channelName: String, auth: PusherAuth?, onMemberAdded: ((PusherPresenceChannelMember) -> Void)?,
        onMemberRemoved: ((PusherPresenceChannelMember) -> Void)?, onSubscriptionCountChanged: ((Int) -> Void)?
    ) -> PusherPresenceChannel {
        let channel = want(
            channelName, auth: auth, onMemberAdded: onMemberAdded, onMemberRemoved: onMemberRemoved,
            onSubscriptionCountChanged: onSubscriptionCountChanged
        ) {
            PusherPresenceChannel(name: channelName, connection: self)
        }
        if let channel = channel as? PusherPresenceChannel { return channel }
        // The app has earlier added a channel of this name whose object is not a `PusherPresenceChannel`. The new object takes over its
        // callbacks and state.
        let presence = PusherPresenceChannel(name: channelName, connection: self)
        presence.state.withLockedValue { $0 = channel.state.withLockedValue { $0 } }
        channels.put(presence)
        return presence
    }

    private func want(
        _ name: String, auth: PusherAuth?, onMemberAdded: ((PusherPresenceChannelMember) -> Void)?,
        onMemberRemoved: ((PusherPresenceChannelMember) -> Void)?, onSubscriptionCountChanged: ((Int) -> Void)?,
        timeout: TimeInterval? = nil, make: () -> PusherChannel
    ) -> PusherChannel {
        commands.withLock {
            let channel = channels.findOrAdd(name: name, make: make)
            channel.update(
                auth: auth, onMemberAdded: onMemberAdded, onMemberRemoved: onMemberRemoved,
                onSubscriptionCountChanged: onSubscriptionCountChanged)
            driver.submit(.perform(.subscribe(subscription(to: name, timeout: timeout)), nil))
            return channel
        }
    }

    private func subscription(to name: String, timeout: TimeInterval?) -> PusherSubscription {
        let seconds = timeout ?? options.subscribeTimeout
        return PusherSubscription(channel: name, timeout: seconds.map { .clamped(seconds: $0) })
    }

    func unsubscribe(channelName: String) {
        let removed = commands.withLock { drop(channelName) }
        // The channel is released here, outside of the lock, together with the objects that its callbacks hold. The `deinit` of such an
        // object may wait for another thread. That thread may wait for the lock.
        _ = removed
    }

    func unsubscribeAll() {
        let removed = commands.withLock { channels.channels.keys.sorted().map { drop($0) } }
        _ = removed
    }

    private func drop(_ name: String) -> PusherChannel? {
        guard let channel = channels.remove(name: name) else { return nil }
        channel.end()
        driver.submit(.perform(.unsubscribe(channel: name), nil))
        return channel
    }
}

// Handles the app's assignment of a whole table of channels, which tests of apps use (rule PA-52).
extension PusherConnection {
    /// The channel whose callbacks get every event. It is created on first use.
    var global: GlobalChannel {
        if let present = state.withLockedValue({ $0.global }) { return present }
        let new = GlobalChannel(connection: self)
        return state.withLockedValue { values in
            let global = values.global ?? new
            values.global = global
            return global
        }
    }

    func replaceChannels(with new: PusherChannels) {
        let replaced = commands.withLock { () -> PusherChannels? in
            let former = channels
            guard former !== new else { return nil }
            former.follow(nil)
            new.follow(self)
            new.takeEndings(from: former)
            state.replace(\.channels, with: new)
            tableChanged(in: new, from: former.channels, to: new.channels)
            return former
        }
        // The former channels are released here, outside of the lock, together with the objects that their callbacks hold. The `deinit` of
        // such an object may wait for another thread. That thread may wait for the lock.
        _ = replaced
    }

    /// Handles an assigned table: subscribes to the channels that only `new` contains, and unsubscribes from the channels that only
    /// `former` contains. Called while the lock `commands` is held.
    func tableChanged(
        in table: PusherChannels, from former: [String: PusherChannel], to new: [String: PusherChannel]
    ) {
        for (name, channel) in former.sorted(by: { $0.key < $1.key }) where new[name] !== channel {
            table.noteRemoval(of: name)
            channel.end()
            driver.submit(.perform(.unsubscribe(channel: name), nil))
        }
        for (name, channel) in new.sorted(by: { $0.key < $1.key }) where former[name] !== channel {
            driver.submit(.perform(.subscribe(subscription(to: name, timeout: nil)), nil))
        }
    }
}
