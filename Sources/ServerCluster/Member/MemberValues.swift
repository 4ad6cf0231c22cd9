import NIOCore
import ServerValues

/// The leader and the end of the log, as read from the store.
package struct ClusterLeaderRecord: Hashable, Sendable {
    /// The leader's generation and last batch; sequence 0 before its first batch.
    package var position: ClusterPosition
    package var leader: ClusterNode
    /// The last batch of the log, of this leader or an earlier one.
    package var last: ClusterPosition

    /// - Parameter previous: the last batch before the leader's first one.
    package init(position: ClusterPosition, leader: ClusterNode, previous: ClusterPosition) {
        self.position = position
        self.leader = leader
        last = position.sequence == 0 ? previous : position
    }
}

/// The limits and time intervals of a node of a cluster.
package struct MemberPolicy: Hashable, Sendable {
    /// The interval of heartbeats to the leader when a node has no other messages to send.
    package var heartbeat: Duration = .seconds(2)
    /// The time without a confirmation by the leader after which sent requests are sent again.
    package var retry: Duration = .milliseconds(500)
    /// How long a node may be disconnected from the store before it treats the state of its services as lost.
    package var isolation: Duration = .seconds(30)
    /// The largest number of bytes of unanswered requests. Beyond it, further requests with a deadline fail.
    package var waitingBytes = 67_108_864
    /// The largest number of bytes of requests that were sent and that the leader has not confirmed.
    package var windowBytes = 2_097_152
    /// The largest number of bytes of requests in one message.
    package var messageBytes = 262_144

    package init() {}
}

/// An action that the owner of a ``MemberMachine`` has to perform.
package enum MemberEffect: Hashable, Sendable {
    /// Read the leader and the end of the log from the store.
    case readPosition
    /// Read the batches of the log after this position.
    case readLog(after: ClusterPosition)
    /// Publish a message with requests to the leader.
    case publish(ClusterRequests, to: ClusterNode)
    /// Pass a fact, which is a decision of the leader, to a service of this node.
    case apply(ClusterServiceID, ByteBuffer)
    /// Complete a request of a service. The first value is the owner's id of the request.
    case complete(UInt64, Result<ByteBuffer, ClusterFailure>)
    /// Collect the announcements of all services, and pass them at once to ``MemberMachine/announce(_:into:)``.
    case announce
    /// Notify the services that facts (decisions of the leader) are lost.
    case interrupt(MemberLoss)
}

/// The reason why a node has lost facts (decisions of the leader).
package enum MemberLoss: Hashable, Sendable, CustomStringConvertible {
    /// The log begins after this node's position, or does not contain batches that the node has applied.
    case logEnded
    /// The leader has removed this node.
    case expelled
    /// The store was unreachable for longer than ``MemberPolicy/isolation``.
    case isolated

    package var description: String {
        switch self {
        case .logEnded: "the log in the store lacks batches that this node has not read"
        case .expelled: "the leader removed this node, because it received nothing from this node for too long"
        case .isolated: "this node could not reach the store for too long"
        }
    }
}
