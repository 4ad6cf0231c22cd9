import Identifiers
import PubNubProtocol
import ServerStorage

/// Forwards presence requests of a keyset's replica to the cluster's leader, which decides about presence.
protocol PresenceRelay: AnyObject, Sendable {
    /// Reports that a subscriber is present, which restarts the subscriber's presence timeout.
    ///
    /// - Parameter request: the presence part of the poll; two polls with equal parts need to be forwarded only once.
    func touch(_ touch: PubNubClusterRequest.PresenceTouch, _ request: TouchedRequest, of application: PubNubApplication)
    /// Whether the same presence request was forwarded so recently that it need not be forwarded again.
    func knows(_ user: OccupancyUser, _ request: TouchedRequest, of application: PubNubApplication) -> Bool
    /// Requests messages that the replica lacks. The answer is passed to ``PubNubApplication/take(_:to:)``.
    func request(_ request: CatchUpQueue.Request, of application: PubNubApplication)
    /// Reports a subscriber's cursor that is ahead of the newest message that subscribers can read.
    func advance(past cursor: UInt64, of application: PubNubApplication)
}

// Methods of a node's replica of a keyset, which applies the decisions of the cluster's leader.
extension PubNubApplication {
    /// Applies published messages and changed groups, and wakes the polls that they concern. Messages that the replica already has are
    /// ignored. Messages that no poll subscribes to are not kept (rule CB-50).
    func follow(_ messages: [StoredMessage], _ groups: [PubNubFact.GroupContent]) {
        let kept = withState { state in messages.map { state.streams.keeps($0.channel) } }
        let elements = zip(messages, kept).map { message, isKept in isKept ? element(of: message) : nil }
        if let last = messages.last { storage.tokens.note(last.timetoken) }
        change { state, pending in
            for (message, element) in zip(messages, elements) {
                // `keeps` is called again, because a poll may have subscribed to the channel since `kept` was computed.
                if let element = element ?? (state.streams.keeps(message.channel) ? self.element(of: message) : nil) {
                    pending.entries += state.streams.append(message, element)
                } else if state.streams.pass(message.timetoken) {
                    pending.passed.append(message.channel)
                }
            }
            for group in groups { put(group, in: &state, pending: &pending) }
        }
        guard let bridge else { return }
        for message in messages where !message.channel.text.hasByteSuffix(PubNubMessage.presenceSuffix) {
            bridge.carry(message, of: subscribeKey)
        }
    }

    /// Advances the replica to the timetoken `visible`: the replica has all messages up to this timetoken, except the `dropped` ones.
    func follow(to visible: UInt64, _ dropped: [PubNubFact.DroppedMessages]) {
        withState { state in
            for item in dropped { state.streams.noteDropped(item.timetoken, from: item.channel) }
            state.streams.advance(to: visible)
        }
        storage.tokens.note(visible)
    }

    /// Replaces all groups.
    func replace(groups: [PubNubFact.GroupContent]) {
        let names = Set(groups.map(\.name))
        change { state, pending in
            for name in state.groups.names where !names.contains(name) {
                put(PubNubFact.GroupContent(name: name, channels: []), in: &state, pending: &pending)
            }
            for group in groups { put(group, in: &state, pending: &pending) }
        }
    }

    /// Replaces the streams and groups by those of the leader, and serves polls from now on. Held polls are checked: if they have missed
    /// messages, these are then requested from the leader.
    func begin(_ streams: MessageStreams<PubNubElement>, _ groups: [PubNubFact.GroupContent]) {
        storage.tokens.note(streams.visible)
        let held = withState { state in
            state.streams = streams
            state.catchUp.reset()
            return state.audience.all
        }
        isComplete = true
        replace(groups: groups)
        wake(held.sources, on: held.eventLoopIDs)
    }

    func element(of message: StoredMessage) -> PubNubElement {
        PubNubElement(shared: PubNubEnvelope(message, region: storage.region, subscribeKey: subscribeKey).shared)
    }

    private func put(_ group: PubNubFact.GroupContent, in state: inout State, pending: inout PendingNotifications) {
        let change = state.groups.put(group.channels, into: group.name)
        guard change.hasChanged else { return }
        state.groupIndex.apply(change)
        state.groupVersion += 1
        pending.changedGroups.append(group.name)
    }
}
