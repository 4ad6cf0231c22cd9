import RedisClient
import ServerValues

/// The state of a node of a cluster.
package struct ClusterStatus: Hashable, Sendable {
    /// The connections to Redis: why each is not ready; empty when both are.
    package var trouble: [RedisLane: String] = [RedisLane.commands: "not connected yet", .messages: "not connected yet"]
    package var role = ClusterRole.follower
    /// The leader, as this node knows it; nil for none.
    package var leader: String?
    /// The position up to which the node has applied the log.
    package var position: ClusterPosition?
    /// Whether the node follows the log without a hole.
    package var isCurrent = false
    /// Requests of this node that were not answered yet.
    package var waitingRequests = 0
    package var waitingBytes = 0
    /// How often missing messages were read from the log.
    package var repairs = 0
    /// How many times facts were lost and could not be read again.
    package var losses = 0
    /// How often this node was elected.
    package var elections = 0
    /// On the leader: the number of nodes that take part.
    package var nodes = 0
    /// On the leader: the nodes that take part, by name.
    package var members: [Member] = []
    /// On the leader: the bytes that wait to be written.
    package var queuedBytes = 0
    /// Whether Redis refuses writes, the leader's batches or the script with which every node asks who leads.
    package var isRefused = false
    /// The policy by which Redis deletes keys when its memory is full; nil for none.
    package var evictionPolicy: String?
    /// Why the services could not begin to lead; nil for no problem.
    package var problem: String?

    /// A node that takes part.
    package struct Member: Hashable, Sendable {
        package var node: ClusterNode
        /// When the leader heard it last.
        package var lastHeard: MonotonicInstant
        /// Whether the last leader knew it, and this one has not heard it yet.
        package var isExpected: Bool
    }

    package init() {}

    /// Whether clients can be served: this node has read the log to its end, and there is a leader.
    package var isReady: Bool { trouble.isEmpty && isCurrent && leader != nil && !isRefused }
}
