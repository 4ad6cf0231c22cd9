/// The store of one partition of a cluster, as one of its nodes uses it: it keeps the record of the leader, the log and the collections, and
/// carries the messages of the nodes.
///
/// All methods may be called from any thread. Events and completions come on the event loop of the node, in one order; each completion is
/// called once. An engine reconnects by itself.
package protocol StoreEngine: AnyObject, Sendable {
    /// Reads and writes what is stored beside the log.
    var collections: any ClusterStore { get }

    /// Connects, and reports from then on what the node has to know.
    func start(events: @escaping @Sendable (StoreEvent) -> Void)

    /// Takes part in the election of the leader. The outcome of a resignation is of no use.
    func elect(_ candidacy: Candidacy, completion: @escaping @Sendable (ElectionOutcome) -> Void)

    /// Counts the nodes that receive requests to this leader; nil when that is not known.
    func countListeners(of leader: ClusterNode, completion: @escaping @Sendable (Int?) -> Void)

    /// Reads the leader and the end of the log; nil when there was never a leader.
    func readPosition(completion: @escaping @Sendable (Result<ClusterLeaderRecord?, StoreFailure>) -> Void)

    /// Reads the batches behind a position, oldest first.
    func readLog(
        after position: ClusterPosition, within limit: Duration,
        completion: @escaping @Sendable (Result<LogPage, StoreFailure>) -> Void)

    /// Appends a batch to the log, performs its writes and sends it to all nodes: all of it or nothing, and only while its leader leads.
    /// A batch that comes again is counted once (rules CR-2 and CR-3).
    func commit(_ commit: ClusterCommit, completion: @escaping @Sendable (CommitOutcome) -> Void)

    /// Sends requests to a leader. They may be lost.
    func publish(_ requests: ClusterRequests, to leader: ClusterNode)

    /// Sends answers to a node while their leader leads. They may be lost.
    ///
    /// - Parameter completion: called with whether another node leads now.
    func answer(_ answers: ClusterAnswers, to node: ClusterNode, completion: @escaping @Sendable (Bool) -> Void)

    /// Called every some seconds: the engine tells its version to the other nodes, and reports what has changed in the store itself.
    ///
    /// - Parameter nodes: the nodes of the cluster, on the leader only.
    func watch(_ nodes: [ClusterNode]?)

    /// Closes the connections once the last messages have been sent. Nothing is reported afterwards, and the engine releases `events`.
    func close(completion: @escaping @Sendable () -> Void)
}

/// What a store engine reports.
package enum StoreEvent: Sendable {
    /// A connection cannot be used, for this reason; or it can, without a reason.
    case trouble(StoreLane, String?)
    /// Messages may be missing from here on.
    case interrupted
    /// From here on messages are complete. Those that were sent meanwhile can be read in the log.
    case restored
    /// The leader has resigned.
    case resigned
    case batch(ClusterBatch)
    /// Answers to this node's queries.
    case answers(ClusterAnswers)
    /// Requests of a node, to this one as the leader.
    case requests(ClusterRequests)
    /// Whether the store refuses all writes, as one does that is full.
    case refusesWrites(Bool)
    /// The policy by which the store deletes what is kept when it is full; nil if it does not.
    case evictionPolicy(String?)
    /// The versions of nodes that are known.
    case versions([ClusterNode: String])
}

/// One of the ways between a node and the store.
package enum StoreLane: Hashable, Sendable, CaseIterable {
    case commands, messages
}

/// What a process asks for in the election of the leader.
package struct Candidacy: Hashable, Sendable {
    package var mode: ElectionMode
    package var node: ClusterNode
    /// The generation that the process leads, or that of the leader that it wants to replace.
    package var generation: UInt64?
    package var lease: Duration
    /// The highest generation that the process has seen.
    package var seen: UInt64
    /// The node in whose favour a leader resigns; nil for any.
    package var successor: ClusterNode?
    /// How long the election is left to the successor.
    package var headStart = Duration.zero

    package init(_ mode: ElectionMode, _ node: ClusterNode, generation: UInt64?, lease: Duration, seen: UInt64) {
        self.mode = mode
        self.node = node
        self.generation = generation
        self.lease = lease
        self.seen = seen
    }
}

/// Batches of the log, in order.
package struct LogPage: Hashable, Sendable {
    package var batches: [ClusterBatch]
    /// Whether the log has no later ones.
    package var isAll: Bool

    package init(_ batches: [ClusterBatch], isAll: Bool) {
        self.batches = batches
        self.isAll = isAll
    }
}
