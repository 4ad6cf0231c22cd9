/// The connection of one node to the store of one partition of a cluster. The store has the record of the leader, the log and the
/// collections, and carries the messages of the nodes.
///
/// All methods may be called from any thread. Events and completions are called on the event loop of the node, in one order; each
/// completion is called once. An engine reconnects by itself.
package protocol StoreEngine: AnyObject, Sendable {
    /// Reads and writes the stored data besides the log: values, maps, sets, sorted sets and streams.
    var collections: any ClusterStore { get }

    /// Connects to the store, and calls `events` for each event from then on.
    func start(events: @escaping @Sendable (StoreEvent) -> Void)

    /// Sends this process's request in the election of the leader, and reports the outcome. When a leader resigns, the reported outcome has
    /// no meaning.
    func elect(_ candidacy: Candidacy, completion: @escaping @Sendable (ElectionOutcome) -> Void)

    /// Counts the nodes that are subscribed to requests for this leader; nil when the number is not known.
    func countListeners(of leader: ClusterNode, completion: @escaping @Sendable (Int?) -> Void)

    /// Reads the record of the leader and the end of the log; nil when there was never a leader.
    func readPosition(completion: @escaping @Sendable (Result<ClusterLeaderRecord?, StoreFailure>) -> Void)

    /// Reads the batches of the log after a position, oldest first.
    func readLog(
        after position: ClusterPosition, within limit: Duration,
        completion: @escaping @Sendable (Result<LogPage, StoreFailure>) -> Void)

    /// Appends a batch to the log, performs its writes and sends it to all nodes: completely or not at all, and only while the leader that
    /// has made the batch still leads. If a batch is committed again, it is nevertheless stored only once (rules CR-2 and CR-3).
    func commit(_ commit: ClusterCommit, completion: @escaping @Sendable (CommitOutcome) -> Void)

    /// Sends requests to a leader. The message may be lost.
    func publish(_ requests: ClusterRequests, to leader: ClusterNode)

    /// Sends a leader's answers to a node, if that leader still leads. The message may be lost.
    ///
    /// - Parameter completion: its argument is whether another node leads now.
    func answer(_ answers: ClusterAnswers, to node: ClusterNode, completion: @escaping @Sendable (Bool) -> Void)

    /// Called every few seconds: the engine publishes its server's version to the other nodes, and reports changes of the store itself.
    ///
    /// - Parameter nodes: the nodes of the cluster, if this node is the leader; nil otherwise.
    func watch(_ nodes: [ClusterNode]?)

    /// Closes the connections after the last messages have been sent. No events are reported afterwards, and the engine releases `events`.
    func close(completion: @escaping @Sendable () -> Void)
}

/// An event that a store engine reports.
package enum StoreEvent: Sendable {
    /// A connection to the store cannot be used, if the text is the reason. If the text is nil, the connection can be used again.
    case trouble(StoreLane, String?)
    /// The connection for messages is interrupted: from now on messages may be missing.
    case interrupted
    /// From now on no messages are missing. Batches that were sent during the interruption can be read from the log.
    case restored
    /// The leader of the cluster has resigned.
    case resigned
    case batch(ClusterBatch)
    /// Answers to this node's queries, from the leader.
    case answers(ClusterAnswers)
    /// Requests of a node to this node, which is the leader.
    case requests(ClusterRequests)
    /// Whether the store refuses all writes, for example because its memory is full.
    case refusesWrites(Bool)
    /// The policy by which the store deletes stored data when its memory is full; nil if it deletes none.
    case evictionPolicy(String?)
    /// The server versions of those nodes whose version is known.
    case versions([ClusterNode: String])
}

/// One of a node's two connections to the store: for commands, or for messages.
package enum StoreLane: Hashable, Sendable, CaseIterable {
    case commands, messages
}

/// A process's request in the election of the leader.
package struct Candidacy: Hashable, Sendable {
    package var mode: ElectionMode
    package var node: ClusterNode
    /// The generation in which the process leads, or that of the leader that it asks to replace.
    package var generation: UInt64?
    package var lease: Duration
    /// The highest generation (number of an election) that the process has seen.
    package var seen: UInt64
    /// The node in whose favour a leader resigns; nil for any node.
    package var successor: ClusterNode?
    /// How long other nodes cannot be elected after the leader has resigned in favour of the successor.
    package var headStart = Duration.zero

    package init(_ mode: ElectionMode, _ node: ClusterNode, generation: UInt64?, lease: Duration, seen: UInt64) {
        self.mode = mode
        self.node = node
        self.generation = generation
        self.lease = lease
        self.seen = seen
    }
}

/// Consecutive batches of the log, oldest first.
package struct LogPage: Hashable, Sendable {
    package var batches: [ClusterBatch]
    /// Whether the log has no batches after these.
    package var isAll: Bool

    package init(_ batches: [ClusterBatch], isAll: Bool) {
        self.batches = batches
        self.isAll = isAll
    }
}
