import NIOCore
import ServerValues

/// The kind of request that a process makes in an election: to lead under some condition, to continue, or to resign.
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
    /// This process leads from now on; `former` is the previous leader, or nil if that leader has resigned.
    case elected(generation: UInt64, previous: ClusterPosition, former: FormerLeader?)
    /// This process is still the leader.
    case leading
    /// Another process leads.
    case following(ClusterLeaderRecord)
    /// There is no leader, and this process did not ask to lead.
    case vacant
    /// The store did not answer the request of this process.
    case failed
}

/// The previous leader of a cluster, if it did not resign.
package struct FormerLeader: Hashable, Sendable {
    package var node: ClusterNode
    /// The time from the last renewal of the former leader's lease to the election of the next leader, by the clock of the store.
    package var silence: Duration

    package init(node: ClusterNode, silence: Duration) {
        self.node = node
        self.silence = silence
    }
}

/// The role of a process in a cluster.
package enum ClusterRole: Hashable, Sendable {
    case follower
    /// The process was elected, and its services are restoring the stored state.
    case preparing(generation: UInt64)
    case leader(generation: UInt64)

    var generation: UInt64? {
        switch self {
        case .follower: nil
        case .preparing(let generation), .leader(let generation): generation
        }
    }
}

/// An action that the owner of a ``ClusterCore`` has to perform.
package enum ClusterEffect: Sendable {
    case elect(ElectionMode, generation: UInt64?)
    /// Stop leading, and give this node a head start in the next election.
    case resign(inFavourOf: ClusterNode, generation: UInt64)
    /// Another node should lead: call ``ClusterCore/handOver(to:generation:into:)``, unless this process has handed over a partition just
    /// before.
    case proposeHandOver(to: ClusterNode, generation: UInt64)
    /// Make the leader's services (``ClusterLeader``) prepare to resign, then call ``ClusterCore/readyToHandOver(generation:at:into:)``.
    case prepareToResign(generation: UInt64)
    /// Count the subscribers to the requests channel of this leader.
    case countListeners(of: ClusterNode)
    case member(MemberEffect)
    case leader(LeaderEffect)
    /// Make the ``ClusterLeader`` of each service from the stored state, and read the nodes of the previous leader.
    case prepare(generation: UInt64)
    /// Close the ``ClusterLeader`` of each service.
    case retire
}

/// The times of elections: the lease of a leader, the interval of its renewals, and the grace time.
package struct ElectionPolicy: Hashable, Sendable {
    /// How long a leader's lease lasts after a renewal.
    package var lease: Duration = .seconds(5)
    /// The interval at which a leader renews its lease, and at which the other processes ask to lead.
    package var interval: Duration = .seconds(1)
    /// How long a process that has reconnected to the store does not replace the leader, even if its lease has ended. The leader may have
    /// been disconnected as well, and only the leader has the data that the store may have lost.
    package var grace: Duration = .seconds(5)

    package init() {}
}
