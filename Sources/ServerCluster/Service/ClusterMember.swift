import NIOCore

/// Receives the cluster's facts and losses for one service of a node.
///
/// All methods are called on the event loop of the node's bus, one call after the other, in the order of the log: facts and the
/// answers to the node's own requests arrive in the order in which the leader made them. They must not block.
package protocol ClusterMember: AnyObject, Sendable {
    /// Applies a decision of the leader on this node.
    func apply(_ fact: ByteBuffer)

    /// A new leader has started. Returns, as requests, the complete current state of the node's own clients; the leader ends everything
    /// that is missing from it. Requests that are not answered yet are sent again after the announcement and must not be part of it.
    func announcement() -> [ByteBuffer]

    /// Facts, or the leader's whole state, were lost and cannot be read again: the service informs its clients and starts anew. An
    /// announcement is requested right afterwards.
    func interrupted()
}

/// Sends requests of a node's services to the leader.
package protocol ClusterBus: AnyObject, Sendable {
    /// The node of this process.
    var node: ClusterNode { get }
    /// The event loop on which members are called.
    var eventLoop: any EventLoop { get }
    /// The store that the nodes share.
    var store: any ClusterStore { get }

    /// Registers a service of this node to receive facts. Call it before the cluster starts.
    func attach(_ member: any ClusterMember, of service: ClusterServiceID)

    /// Sends a request to the leader, after all earlier requests of this node. May be called from any thread, and never blocks.
    ///
    /// - Parameters:
    ///   - limit: the time limit for the answer; nil to repeat the request until it is answered, even if there is no leader for a
    ///     long time. Use nil for requests that only report the state of this node, such as the end of a subscription.
    ///   - isRepeatable: whether the request may be sent to a new leader when the old one has ended without an answer. The leader's
    ///     services have to answer such a request in the same call in which they emit its effects; then it is performed only once.
    ///   - completion: called once, on the bus's event loop, in the order of the log.
    func request(
        _ payload: ByteBuffer, of service: ClusterServiceID, within limit: Duration?, isRepeatable: Bool,
        completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void)

    /// Sends the leader a request that only reads, after all earlier requests of this node. Its answer is sent outside of the log,
    /// so it takes no space there, however long it is. Facts that were emitted before the answer are usually, but not always,
    /// applied before it. May be called from any thread, and never blocks.
    ///
    /// - Parameters:
    ///   - limit: the time limit for the answer; nil for as long as the process runs.
    ///   - isRepeatable: whether the query may be sent to a new leader when the old one has ended without an answer.
    ///   - completion: called once, on the bus's event loop.
    func query(
        _ payload: ByteBuffer, of service: ClusterServiceID, within limit: Duration?, isRepeatable: Bool,
        completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void)
}

extension ClusterBus {
    /// How long a call of a client waits while the cluster has no leader.
    package static var callLimit: Duration { .seconds(3) }
}
