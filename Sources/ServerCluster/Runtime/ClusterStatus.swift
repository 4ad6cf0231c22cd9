import ServerValues

/// The state of one node in one partition of a cluster.
package struct ClusterStatus: Hashable, Sendable {
    /// The number of the partition; nil when the cluster has only one.
    package var partition: Int?
    /// The reason why a connection to the store is not ready, for each such connection; empty when both connections are ready.
    package var trouble: [StoreLane: String] = [StoreLane.commands: "not connected yet", .messages: "not connected yet"]
    package var role = ClusterRole.follower
    /// The name of the leader that this node follows; nil for none.
    package var leader: String?
    /// The position up to which the node has applied the log.
    package var position: ClusterPosition?
    /// Whether the node has read the log to its end and follows it without gaps.
    package var isCurrent = false
    /// Whether calls can be answered: there is a leader whose services have restored the stored state, or there was one so recently that
    /// calls wait for the next leader.
    package var isLed = false
    /// The number of this node's requests that are not answered yet.
    package var waitingRequests = 0
    package var waitingBytes = 0
    /// The number of times that the node read missing batches from the log.
    package var repairs = 0
    /// The number of times that facts (decisions of the leader) were lost and could not be read again.
    package var losses = 0
    /// The number of times that this node was elected.
    package var elections = 0
    /// On the leader: the number of nodes of the cluster.
    package var nodes = 0
    /// On the leader: the nodes of the cluster, sorted by name.
    package var members: [Member] = []
    /// On the leader: the number of bytes of decisions that wait to be written to the store.
    package var queuedBytes = 0
    /// Whether the store refuses the leader's batches, or the writes of every node in the election.
    package var isRefused = false
    /// The policy by which the store deletes stored data when its memory is full; nil if it deletes none.
    package var evictionPolicy: String?
    /// The reason why the services of this node could not start to lead; nil when there is none.
    package var problem: String?

    /// A node of the cluster, as seen by the leader.
    package struct Member: Hashable, Sendable {
        package var node: ClusterNode
        /// The time when the leader last received a message of the node.
        package var lastHeard: MonotonicInstant
        /// Whether the node was a member under the previous leader and has not announced itself to this one.
        package var isExpected: Bool
        /// The version of the node's server; nil while it is not known, and for versions before 0.3.
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
    /// Whether this node has read the log to its end and follows a leader, which may still be restoring the stored state.
    package var isFollowing: Bool { trouble.isEmpty && isCurrent && leader != nil && !isRefused }
}
