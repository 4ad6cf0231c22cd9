/// A change of the members of a presence channel.
public enum PusherMembershipChange: Sendable {
    /// All present members. Sent when the server has confirmed the subscription, and when changes were dropped because the consumer was too
    /// slow.
    case current([PusherPresenceChannelMember])
    /// The member joined.
    case joined(PusherPresenceChannelMember)
    /// The member left.
    case left(PusherPresenceChannelMember)
}

extension PusherPresenceChannel {
    /// A sequence of the present members and all later changes. The sequence begins with all members when the channel is subscribed, and
    /// ends when the channel is released or unsubscribed.
    ///
    /// The sequence is for one consumer; each call returns an independent sequence. When the sequence is full, the oldest changes are
    /// dropped, and after the newest change the element `current` with all members is added. So a consumer that applies all elements always
    /// ends with the present members.
    ///
    /// - Parameter limit: the most changes that wait for a slow consumer; at least 2.
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
    /// A sequence of the number of subscribed connections: the present number, if it is known, and each later number from the server. Ends
    /// when the channel is released or unsubscribed.
    ///
    /// The sequence is for one consumer; each call returns an independent sequence. Only the newest number waits for a slow consumer.
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
