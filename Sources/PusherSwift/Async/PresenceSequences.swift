/// A change of the members of a presence channel.
public enum PusherMembershipChange: Sendable {
    /// All members: after a confirmation, and when changes had to be dropped because the consumer was too slow.
    case current([PusherPresenceChannelMember])
    /// The member joined.
    case joined(PusherPresenceChannelMember)
    /// The member left.
    case left(PusherPresenceChannelMember)
}

extension PusherPresenceChannel {
    /// The present members, and every change from then on. Begins with all members when the channel is subscribed. Ends when the
    /// channel is released or unsubscribed.
    ///
    /// For one consumer; each call returns an independent sequence. The newest change is never dropped: beyond `limit` the oldest
    /// changes are dropped and `current` follows, so that a consumer that applies all elements has the present members in the end.
    ///
    /// - Parameter limit: how many changes may wait; at least 2.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public func memberChanges(limit: Int = 1024) -> AsyncStream<PusherMembershipChange> {
        .fed(limit: max(limit, 2)) { end in
            state.withLockedValue { state in
                state.memberStreams.add(end, current: state.subscribed ? .current(state.presence.members) : nil)
            }
        } remove: { [weak self] id in
            self?.state.withLockedValue { $0.memberStreams.remove(id) }
        }
    }
}

extension PusherChannel {
    /// The number of subscribed connections, if it is known, and each later number from the server. Ends when the channel is released
    /// or unsubscribed.
    ///
    /// For one consumer; each call returns an independent sequence. Only the newest number waits.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var subscriptionCounts: AsyncStream<Int> {
        .fed(limit: 1) { end in
            state.withLockedValue { $0.countStreams.add(end, current: $0.subscriptionCount) }
        } remove: { [weak self] id in
            self?.state.withLockedValue { $0.countStreams.remove(id) }
        }
    }
}
