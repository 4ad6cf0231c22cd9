import ConnectionEngine
import Foundation
import PusherProtocol

// Which channels are wanted. The table and the engine change together, in one order, under `commands`.
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
        // Subscribed before by a name that is no presence channel's: the new object takes over the callbacks.
        let presence = PusherPresenceChannel(name: channelName, connection: self)
        presence.state.withLockedValue { $0 = channel.state.withLockedValue { $0 } }
        channels.channels[channelName] = presence
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
        commands.withLock { drop(channelName) }
    }

    func unsubscribeAll() {
        commands.withLock {
            for name in channels.channels.keys.sorted() { drop(name) }
        }
    }

    private func drop(_ name: String) {
        guard let channel = channels.remove(name: name) else { return }
        channel.end()
        driver.submit(.perform(.unsubscribe(channel: name), nil))
    }
}
