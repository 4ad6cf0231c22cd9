import NIOCore
import ServerValues

/// The leader and the end of the log, as Redis has them.
package struct ClusterLeaderRecord: Hashable, Sendable {
    /// The leader's generation, and its last batch; 0 before its first one.
    package var position: ClusterPosition
    package var leader: ClusterNode
    /// The last batch of the log: the leader's, or of one before it.
    package var last: ClusterPosition

    /// - Parameter previous: the last batch before the leader.
    package init(position: ClusterPosition, leader: ClusterNode, previous: ClusterPosition) {
        self.position = position
        self.leader = leader
        last = position.sequence == 0 ? previous : position
    }
}

/// How a node behaves towards the leader and the log.
package struct MemberPolicy: Hashable, Sendable {
    /// How often a node sends a sign of life when it has nothing else to send.
    package var heartbeat: Duration = .seconds(2)
    /// After how long without a word of the leader requests are sent again.
    package var retry: Duration = .milliseconds(500)
    /// How long a node waits for Redis before it takes everything for lost.
    package var isolation: Duration = .seconds(30)
    /// Bytes of requests that wait for the leader.
    package var waitingBytes = 67_108_864
    /// Bytes of requests that are on their way to the leader at a time.
    package var windowBytes = 2_097_152
    /// Bytes of requests in one message.
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
    /// Answer a request of a service, by the number that it was given.
    case complete(UInt64, Result<ByteBuffer, ClusterFailure>)
    /// Ask the services for their announcements, and pass these on with ``MemberMachine/announce(_:into:)`` at once.
    case announce
    /// Tell the services that facts are lost.
    case interrupt(MemberLoss)
}

/// The reason why facts are lost.
package enum MemberLoss: Hashable, Sendable, CustomStringConvertible {
    /// The log does not go back so far, or is another one.
    case logEnded
    /// The leader has given this node up.
    case expelled
    /// There was no way to Redis for too long.
    case isolated

    package var description: String {
        switch self {
        case .logEnded: "the log in Redis has lost what this node has not read"
        case .expelled: "the leader has heard nothing of this node for too long"
        case .isolated: "this node could not reach Redis for too long"
        }
    }
}
