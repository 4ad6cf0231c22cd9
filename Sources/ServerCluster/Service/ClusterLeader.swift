import NIOCore

/// Decides for one service while its node is the leader. Only the leader changes the shared state of the service.
///
/// Called on the event loop of the node's bus, one call after the other. Must not block.
package protocol ClusterLeader: AnyObject, Sendable {
    /// Performs a request of a node, which may be the leader's own.
    ///
    /// - Parameter reply: must be called once, on any thread. An answer that is given before this method returns is stored together
    ///   with the emissions, completely or not at all.
    func handle(_ request: ByteBuffer, from node: ClusterNode, reply: @escaping @Sendable (ByteBuffer) -> Void)

    /// A node has joined, or has reconnected to a new leader, and announces the state of its clients. State of the node that the
    /// leader has restored and that is missing from the announcement has ended.
    ///
    /// - Parameter requests: the result of ``ClusterMember/announcement()``. Answers to these requests are not sent.
    func announced(_ requests: [ByteBuffer], by node: ClusterNode)

    /// A node has left: the subscriptions and sessions of its clients end.
    func left(_ node: ClusterNode)

    /// The nodes whose clients have restored state. ``left(_:)`` is called for those that do not announce themselves in time, even
    /// when they are in no list of nodes any more: they may have ended under a leader that did not have their state.
    var restoredNodes: [ClusterNode] { get }

    /// This leader is about to resign: it starts no work outside of the cluster that the next leader would repeat, and waits for a
    /// limited time for work in progress. Requests are still passed to it.
    func prepareToResign() async

    /// Ends without emitting anything, because another node leads now, or this one leaves.
    func close() async
}

extension ClusterLeader {
    package func prepareToResign() async {}

    package var restoredNodes: [ClusterNode] { [] }
}

/// Makes the leader's part of a service.
///
/// Called when the node becomes the leader. Restores the state that the previous leader's services have stored, including the
/// subscriptions and sessions of nodes: ``ClusterLeader/left(_:)`` is called for nodes in it that do not announce themselves in time.
package protocol ClusterLeaderFactory: AnyObject, Sendable {
    func makeLeader(_ context: ClusterLeaderContext) async throws -> any ClusterLeader
}

/// The parts of the cluster that a service's leader part uses.
package struct ClusterLeaderContext: Sendable {
    /// Receives decisions.
    package let output: any ClusterOutput
    /// Reads the stored state.
    package let store: any ClusterReader
    /// Reads the decisions of earlier leaders, as far as the log still has them.
    package let log: any ClusterLog
    /// Distinguishes this leader from all earlier ones.
    package let generation: UInt64
    /// The generation of the last leader that has stored anything; nil when there was none, or when it is not known.
    package let former: UInt64?
    /// Whether the store has lost confirmed data: positions of clients are invalid then, and the numbers that were assigned last are
    /// not known.
    package let hasLost: Bool
    /// The event loop on which the leader's services are called.
    package let eventLoop: any EventLoop
    /// The partition that is led; nil if the cluster has only one.
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

/// The decisions of leaders, as far as the log still has them. May be used from any thread.
package protocol ClusterLog: Sendable {
    /// Reads the facts of a service, oldest first, for all audiences. Facts behind one that cannot be read are skipped.
    func facts(of service: ClusterServiceID, _ body: (ByteBuffer) -> Void) async throws(StoreFailure)
}

/// An empty log.
package struct EmptyClusterLog: ClusterLog {
    package init() {}

    package func facts(of service: ClusterServiceID, _ body: (ByteBuffer) -> Void) async throws(StoreFailure) {}
}

/// Receives the decisions of a leader's services. May be used from any thread and under locks of the caller: calls only enqueue.
///
/// Everything is written to the store in the order of the calls, in batches. A batch is stored and sent to the nodes completely or not
/// at all, and never after another node has become the leader.
package protocol ClusterOutput: AnyObject, Sendable {
    /// Publishes a fact to nodes, together with writes to the store.
    ///
    /// - Parameters:
    ///   - fact: the fact; nil when there are only writes.
    ///   - writes: what is stored with the fact, under keys of ``ClusterReader/key(_:)``.
    ///   - completion: called once, on the bus's event loop, before the nodes get the fact; with false when it was not stored,
    ///     after which the leader closes.
    func emit(
        _ fact: ByteBuffer?, of service: ClusterServiceID, to audience: ClusterAudience, writes: [StoreWrite],
        completion: (@Sendable (Bool) -> Void)?)

    /// Runs a closure soon, on the bus's event loop: what it emits and answers is stored together, completely or not at all. For decisions that
    /// had to wait for something outside of the cluster. Closures run in the order of the calls, also when another node has become the leader.
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
