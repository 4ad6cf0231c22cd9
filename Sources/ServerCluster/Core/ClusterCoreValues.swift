import NIOCore
import RedisClient
import ServerValues

/// The way in which a process becomes a candidate for leadership.
package enum ElectionMode: String, Hashable, Sendable {
    /// Leads if there is no leader; leaves a leader alone whose lease has ended.
    case look
    /// Leads if there is no leader, or if the leader's lease has ended.
    case ask
    /// Leads also while the lease of the leader of this generation lasts, because it has gone.
    case take
    /// Goes on leading.
    case renew
    /// Leads no longer.
    case resign
}

/// The answer of Redis to a process that wants to lead.
package enum ElectionOutcome: Hashable, Sendable {
    /// The process leads from now on; the former leader is named unless it has resigned.
    case elected(generation: UInt64, previous: ClusterPosition, former: FormerLeader?)
    /// It leads still.
    case leading
    /// Another process leads.
    case following(ClusterLeaderRecord)
    /// Nobody leads, and it did not want to.
    case vacant
    /// Redis did not answer.
    case failed
}

/// The process that led before, and did not resign.
package struct FormerLeader: Hashable, Sendable {
    package var node: ClusterNode
    /// How long it had not renewed its lease when the next one was elected, by the clock of Redis.
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
    /// Count the subscribers to the requests channel of a leader.
    case countListeners(of: ClusterNode)
    case member(MemberEffect)
    case leader(LeaderEffect)
    /// Have the services make their leader's parts, and look up the nodes of the last leader.
    case prepare(generation: UInt64)
    /// Have the services close their leader's parts.
    case retire
}

/// Times of an election.
package struct ElectionPolicy: Hashable, Sendable {
    /// How long a lease lasts.
    package var lease: Duration = .seconds(5)
    /// The interval at which leadership is renewed and requested.
    package var interval: Duration = .seconds(1)
    /// For how long a process that comes back to Redis leaves the leader alone: the leader may have been away as well, and only it has what
    /// Redis may have lost.
    package var grace: Duration = .seconds(5)

    package init() {}
}
