import Identifiers
import PubNubProtocol
import RealtimeHub

/// Forwards presence requests of a keyset's copy to the node that decides about presence.
protocol PresenceRelay: AnyObject, Sendable {
    /// A subscriber is present, and stays for another timeout.
    ///
    /// - Parameter request: what it asks for; two polls with the same say the same.
    func touch(_ touch: PubNubClusterRequest.PresenceTouch, _ request: TouchedRequest, of application: PubNubApplication)
    /// Whether the same request was forwarded so recently that it need not be repeated.
    func knows(_ user: OccupancyUser, _ request: TouchedRequest, of application: PubNubApplication) -> Bool
    /// A subscriber has a cursor that is ahead of what is visible.
    func advance(past cursor: UInt64, of application: PubNubApplication)
}

// Methods for a copy of a keyset, which applies the decisions of the keyset's owner.
extension PubNubApplication {
    /// Applies messages that have become visible and groups that have changed, and wakes polls. Entries that the copy already has are
    /// not changed.
    func follow(_ messages: [StoredMessage], _ groups: [PubNubFact.GroupContent]) {
        let elements = messages.map { element(of: $0) }
        if let last = messages.last { storage.tokens.note(last.timetoken) }
        change { state, pending in
            for (message, element) in zip(messages, elements) { pending.entries += state.streams.append(message, element) }
            for group in groups { put(group, &state, &pending) }
        }
        guard let bridge else { return }
        for message in messages where !message.channel.text.hasByteSuffix(PubNubMessage.presenceSuffix) {
            bridge.carry(message, of: subscribeKey)
        }
    }

    /// Goes on from a timetoken although there is no message with it.
    func follow(to visible: UInt64, _ dropped: [PubNubFact.DroppedMessages]) {
        withState { state in
            for item in dropped { state.streams.noteDropped(item.timetoken, from: item.channel) }
            state.streams.advance(to: visible)
        }
        storage.tokens.note(visible)
    }

    /// Puts other groups in the place of all there are.
    func replace(groups: [PubNubFact.GroupContent]) {
        let names = Set(groups.map(\.name))
        change { state, pending in
            for name in state.groups.names where !names.contains(name) {
                put(PubNubFact.GroupContent(name: name, channels: []), &state, &pending)
            }
            for group in groups { put(group, &state, &pending) }
        }
    }

    /// Puts other streams and groups in the place of those that were there; from here on polls are served. Those that are held are looked
    /// after: they may have missed something.
    func begin(_ streams: MessageStreams<PubNubElement>, _ groups: [PubNubFact.GroupContent]) {
        storage.tokens.note(streams.visible)
        let held = withState { state in
            state.streams = streams
            return state.audience.all
        }
        isComplete = true
        replace(groups: groups)
        wake(held.sources, on: held.eventLoopIDs)
    }

    func element(of message: StoredMessage) -> PubNubElement {
        PubNubElement(shared: PubNubEnvelope(message, region: storage.region, subscribeKey: subscribeKey).shared)
    }

    private func put(_ group: PubNubFact.GroupContent, _ state: inout State, _ pending: inout PendingNotifications) {
        let change = state.groups.put(group.channels, into: group.name)
        guard change.hasChanged else { return }
        state.groupIndex.apply(change)
        state.groupVersion += 1
        pending.changedGroups.append(group.name)
    }
}
