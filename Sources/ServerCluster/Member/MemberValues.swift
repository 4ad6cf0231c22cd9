import NIOCore
import ServerValues

/// The leader and the end of the log in the answer of the store.
package struct ClusterLeaderRecord: Hashable, Sendable {
    /// The leader's generation and last batch; sequence 0 before its first batch.
    package var position: ClusterPosition
    package var leader: ClusterNode
    /// The last batch of the log: the leader's, or that of an earlier leader.
    package var last: ClusterPosition

    /// - Parameter previous: the last batch before the leader's first one.
    package init(position: ClusterPosition, leader: ClusterNode, previous: ClusterPosition) {
        self.position = position
        self.leader = leader
        last = position.sequence == 0 ? previous : position
    }
}

/// The limits and intervals of a node.
package struct MemberPolicy: Hashable, Sendable {
    /// The interval of heartbeats when a node has no other messages to send.
    package var heartbeat: Duration = .seconds(2)
    /// The time without a message of the leader after which requests are sent again.
    package var retry: Duration = .milliseconds(500)
    /// How long a node waits for the store before it treats all facts as lost.
    package var isolation: Duration = .seconds(30)
    /// The largest number of bytes of requests that wait for the leader.
    package var waitingBytes = 67_108_864
    /// The largest number of bytes of requests that were sent and not confirmed.
    package var windowBytes = 2_097_152
    /// The largest number of bytes of requests in one message.
    package var messageBytes = 262_144

    package init() {}
}

/// An effect that the owner of a member performs.
package enum MemberEffect: Hashable, Sendable {
    /// Look up the leader and the end of the log.
    case readPosition
    /// Read the log after a position.
    case readLog(after: ClusterPosition)
    /// Publish requests to the leader.
    case publish(ClusterRequests, to: ClusterNode)
    /// Pass a fact to a service.
    case apply(ClusterServiceID, ByteBuffer)
    /// Answer a request of a service, by the owner's id of the request.
    case complete(UInt64, Result<ByteBuffer, ClusterFailure>)
    /// Request the announcements of the services, and pass these at once to ``MemberMachine/announce(_:into:)``.
    case announce
    /// Tell the services that facts are lost.
    case interrupt(MemberLoss)
}

/// The reason why facts are lost.
package enum MemberLoss: Hashable, Sendable, CustomStringConvertible {
    /// The log does not reach back to this node's position, or is a different log.
    case logEnded
    /// The leader has removed this node.
    case expelled
    /// The store was unreachable for too long.
    case isolated

    package var description: String {
        switch self {
        case .logEnded: "the log in the store has lost what this node has not read"
        case .expelled: "the leader has heard nothing of this node for too long"
        case .isolated: "this node could not reach the store for too long"
        }
    }
}
