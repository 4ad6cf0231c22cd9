import ServerValues

/// The state of a node in a partition of a cluster.
package struct ClusterStatus: Hashable, Sendable {
    /// The partition; nil when the cluster has only one.
    package var partition: Int?
    /// For each connection to the store that is not ready, the reason; empty when both are ready.
    package var trouble: [StoreLane: String] = [StoreLane.commands: "not connected yet", .messages: "not connected yet"]
    package var role = ClusterRole.follower
    /// The leader from this node's point of view; nil for none.
    package var leader: String?
    /// The position up to which the node has applied the log.
    package var position: ClusterPosition?
    /// Whether the node follows the log without a gap.
    package var isCurrent = false
    /// Whether there is a leader that answers requests, because its services have restored the stored state, or there was one so recently
    /// that a call waits for the next one.
    package var isLed = false
    /// The number of this node's requests that are not answered yet.
    package var waitingRequests = 0
    package var waitingBytes = 0
    /// The number of times that missing messages were read from the log.
    package var repairs = 0
    /// The number of times that facts were lost and could not be read again.
    package var losses = 0
    /// The number of times that this node was elected.
    package var elections = 0
    /// On the leader: the number of nodes of the cluster.
    package var nodes = 0
    /// On the leader: the nodes of the cluster, sorted by name.
    package var members: [Member] = []
    /// On the leader: the bytes that wait to be written.
    package var queuedBytes = 0
    /// Whether the store refuses the leader's batches, or the writes with which every node asks for the leader.
    package var isRefused = false
    /// The policy by which the store deletes what is kept when its memory is full; nil for none.
    package var evictionPolicy: String?
    /// Why the services could not start to lead; nil for no problem.
    package var problem: String?

    /// A node of the cluster.
    package struct Member: Hashable, Sendable {
        package var node: ClusterNode
        /// When the leader last heard the node.
        package var lastHeard: MonotonicInstant
        /// Whether the previous leader had the node, and this one has not heard it yet.
        package var isExpected: Bool
        /// The version of the server that the node is; nil while it is not known, as of nodes older than 0.3.
        package var version: String?

        func with(_ version: String?) -> Self {
            var member = self
            member.version = version
            return member
        }
    }

    package init() {}

    /// Whether clients can be served: this node has read the log to its end, and there is a leader that answers requests (rule CR-72).
    package var isReady: Bool { isFollowing && isLed }
    /// Whether this node has read the log to its end and knows a leader, which may still restore the stored state.
    package var isFollowing: Bool { trouble.isEmpty && isCurrent && leader != nil && !isRefused }
}
