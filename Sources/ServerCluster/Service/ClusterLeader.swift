import NIOCore

/// The leader's side of one service: it makes the decisions while its node is the leader. Only the leader changes the shared state of the
/// service.
///
/// Called on the event loop of the node's ``ClusterBus``, one call after the other. Calls must not block.
package protocol ClusterLeader: AnyObject, Sendable {
    /// Performs a request of a node, which may be the leader's own.
    ///
    /// - Parameter reply: must be called once, on any thread. An answer that is given before this method returns is stored together with
    ///   the decisions that the request has caused, completely or not at all.
    func handle(_ request: ByteBuffer, from node: ClusterNode, reply: @escaping @Sendable (ByteBuffer) -> Void)

    /// Called when a node has joined or reconnected to a new leader, and announces the state of its clients. Restored subscriptions and
    /// sessions of the node that are missing in the announcement have ended, so the service removes them.
    ///
    /// - Parameter requests: the result of ``ClusterMember/announcement()``. Answers to these requests are not sent.
    func announced(_ requests: [ByteBuffer], by node: ClusterNode)

    /// Called when a node has left: the service ends the subscriptions and sessions of its clients.
    func left(_ node: ClusterNode)

    /// The nodes whose clients have restored state. ``left(_:)`` is called for each of these nodes that does not announce itself in time,
    /// even if the node is missing in the stored list of nodes. Such a node may have ended while another process led, whose service did not
    /// have the state of the node.
    var restoredNodes: [ClusterNode] { get }

    /// Called when this leader is about to resign. The service starts no work outside of the cluster that the next leader would repeat, and
    /// waits for a limited time for work in progress. Requests are still passed to the service.
    func prepareToResign() async

    /// Ends without making further decisions, because another node leads now or this node leaves the cluster.
    func close() async
}

extension ClusterLeader {
    package func prepareToResign() async {}

    package var restoredNodes: [ClusterNode] { [] }
}

/// Makes the ``ClusterLeader`` of a service.
///
/// Called when the node becomes the leader. The factory restores the state that the services of the previous leader have stored, including
/// the subscriptions and sessions of nodes. ``ClusterLeader/left(_:)`` is called for each of these nodes that does not announce itself in
/// time.
package protocol ClusterLeaderFactory: AnyObject, Sendable {
    func makeLeader(_ context: ClusterLeaderContext) async throws -> any ClusterLeader
}

/// The parts of the cluster that a ``ClusterLeader`` uses: store, log, output and event loop.
package struct ClusterLeaderContext: Sendable {
    /// Receives decisions.
    package let output: any ClusterOutput
    /// Reads the state that earlier leaders have stored.
    package let store: any ClusterReader
    /// Reads the decisions of earlier leaders, as far as they are still in the log.
    package let log: any ClusterLog
    /// The generation of this leader, which is higher than those of all earlier leaders.
    package let generation: UInt64
    /// The generation of the last leader that has stored anything; nil when there was none or it is not known.
    package let former: UInt64?
    /// Whether the store has lost confirmed data. If so, positions of clients are invalid, and the last assigned numbers are not known.
    package let hasLost: Bool
    /// The event loop on which the ``ClusterLeader`` is called.
    package let eventLoop: any EventLoop
    /// The partition that this leader leads; nil if the cluster has only one.
    package let partition: ClusterPartition?

    package init(
        output: any ClusterOutput, store: any ClusterReader, log: any ClusterLog = EmptyClusterLog(), generation: UInt64,
        former: UInt64? = nil, hasLost: Bool = false, eventLoop: any EventLoop, partition: ClusterPartition? = nil
    ) {
        self.partition = partition
        self.log = log
        self.output = output
        self.store = store
        self.generation = generation
        self.former = former
        self.hasLost = hasLost
        self.eventLoop = eventLoop
    }

    package var term: CountedEntries.Term { CountedEntries.Term(generation: generation, former: former) }
}

/// Reads the decisions of leaders that are still in the log. May be used from any thread.
package protocol ClusterLog: Sendable {
    /// Calls `body` with the facts (decisions) of a service, oldest first, whatever nodes they were for. After a fact that cannot be read,
    /// the remaining facts are skipped.
    func facts(of service: ClusterServiceID, _ body: (ByteBuffer) -> Void) async throws(StoreFailure)
}

/// An empty log.
package struct EmptyClusterLog: ClusterLog {
    package init() {}

    package func facts(of service: ClusterServiceID, _ body: (ByteBuffer) -> Void) async throws(StoreFailure) {}
}

/// Receives the decisions of a leader's services. May be used from any thread and under locks of the caller, because calls only enqueue.
///
/// Decisions are written to the store in batches, in the order of the calls. A batch is stored and sent to the nodes completely or not at
/// all, and never after another node has become the leader.
package protocol ClusterOutput: AnyObject, Sendable {
    /// Publishes a fact (a decision) to nodes, together with writes to the store.
    ///
    /// - Parameters:
    ///   - fact: the fact; nil when there are only writes.
    ///   - writes: writes that are stored together with the fact, under keys of ``ClusterReader/key(_:)``.
    ///   - completion: called once, on the bus's event loop, before the nodes get the fact; with false when the fact was not stored, after
    ///     which the leader closes.
    func emit(
        _ fact: ByteBuffer?, of service: ClusterServiceID, to audience: ClusterAudience, writes: [StoreWrite],
        completion: (@Sendable (Bool) -> Void)?)

    /// Runs a closure soon, on the bus's event loop. The decisions and answers that it makes are stored together, completely or not at all.
    /// This is for decisions that had to wait for an operation outside of the cluster. Closures run in the order of the calls, even if
    /// another node has become the leader.
    func perform(_ body: @escaping @Sendable () -> Void)
}

extension ClusterOutput {
    /// The default implementation runs the closure at once.
    package func perform(_ body: @escaping @Sendable () -> Void) { body() }

    package func emit(_ fact: ByteBuffer, of service: ClusterServiceID, to audience: ClusterAudience = .all) {
        emit(fact, of: service, to: audience, writes: [], completion: nil)
    }

    package func write(
        _ writes: [StoreWrite], of service: ClusterServiceID, completion: (@Sendable (Bool) -> Void)? = nil
    ) {
        emit(nil, of: service, to: .all, writes: writes, completion: completion)
    }
}
