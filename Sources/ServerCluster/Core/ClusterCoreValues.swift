import NIOCore
import ServerValues

/// How a process becomes a candidate for leadership.
package enum ElectionMode: String, Hashable, Sendable {
    /// Lead if there is no leader. A leader is not replaced, even if its lease has ended.
    case look
    /// Lead if there is no leader, or if the leader's lease has ended.
    case ask
    /// Lead even if the lease of this generation's leader has not ended, because that leader is gone.
    case take
    /// Continue to lead.
    case renew
    /// Stop leading.
    case resign
}

/// The answer of the store to a process that takes part in an election.
package enum ElectionOutcome: Hashable, Sendable {
    /// This process leads from now on; `former` is the previous leader unless it has resigned.
    case elected(generation: UInt64, previous: ClusterPosition, former: FormerLeader?)
    /// This process still leads.
    case leading
    /// Another process leads.
    case following(ClusterLeaderRecord)
    /// There is no leader, and this process did not want to lead.
    case vacant
    /// The store did not answer.
    case failed
}

/// The previous leader, which did not resign.
package struct FormerLeader: Hashable, Sendable {
    package var node: ClusterNode
    /// The time since it last renewed its lease when the next leader was elected, by the clock of the store.
    package var silence: Duration

    package init(node: ClusterNode, silence: Duration) {
        self.node = node
        self.silence = silence
    }
}

/// The role of a process in a cluster.
package enum ClusterRole: Hashable, Sendable {
    case follower
    /// The process was elected, and its services restore the stored state.
    case preparing(generation: UInt64)
    case leader(generation: UInt64)

    var generation: UInt64? {
        switch self {
        case .follower: nil
        case .preparing(let generation), .leader(let generation): generation
        }
    }
}

/// An effect that the owner of a process's core performs.
package enum ClusterEffect: Sendable {
    case elect(ElectionMode, generation: UInt64?)
    /// Stop leading, and leave the election to this node for a moment.
    case resign(inFavourOf: ClusterNode, generation: UInt64)
    /// Another node should lead: call ``ClusterCore/handOver(to:generation:into:)`` if this process has not handed over just before.
    case proposeHandOver(to: ClusterNode, generation: UInt64)
    /// Make the leader's parts of the services prepare to resign, then call ``ClusterCore/readyToHandOver(generation:at:into:)``.
    case prepareToResign(generation: UInt64)
    /// Count the subscribers to the requests channel of a leader.
    case countListeners(of: ClusterNode)
    case member(MemberEffect)
    case leader(LeaderEffect)
    /// Make the services prepare their leader's parts, and read the nodes of the previous leader.
    case prepare(generation: UInt64)
    /// Make the services close their leader's parts.
    case retire
}

/// The times of an election.
package struct ElectionPolicy: Hashable, Sendable {
    /// How long a lease lasts.
    package var lease: Duration = .seconds(5)
    /// The interval at which leadership is renewed and requested.
    package var interval: Duration = .seconds(1)
    /// How long a process that reconnects to the store respects the leader: the leader may have been disconnected as well, and only the
    /// leader has the data that the store may have lost.
    package var grace: Duration = .seconds(5)

    package init() {}
}
