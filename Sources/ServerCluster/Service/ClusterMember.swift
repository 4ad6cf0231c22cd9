import NIOCore

/// Receives the cluster's facts and losses for one service of a node.
///
/// All of it is called on the event loop of the node's bus, one call after the other, in the order of the log: facts and the answers to the
/// node's own requests come in the order in which the leader made them. Must not block.
package protocol ClusterMember: AnyObject, Sendable {
    /// Applies a decision of the leader on this node.
    func apply(_ fact: ByteBuffer)

    /// A new leader begins. Returns, as requests, everything that the node's own clients hold at this time; the leader ends what is
    /// missing from it. Requests that were not answered yet are sent again after the announcement and must not be part of it.
    func announcement() -> [ByteBuffer]

    /// Facts, or the leader's whole state, were lost and cannot be read again: the service informs its clients and begins anew. An
    /// announcement is requested right afterwards.
    func interrupted()
}

/// The way of a node's services to the leader.
package protocol ClusterBus: AnyObject, Sendable {
    /// This process.
    var node: ClusterNode { get }
    /// The loop on which members are called.
    var eventLoop: any EventLoop { get }
    /// The Redis that the nodes share.
    var store: any ClusterStore { get }

    /// Registers a service of this node to receive facts. To be called before the cluster starts.
    func attach(_ member: any ClusterMember, of service: ClusterServiceID)

    /// Sends a request to the leader, behind all that this node sent before. May be called from any thread, never blocks.
    ///
    /// - Parameters:
    ///   - limit: how long an answer may take; nil for a request that is kept until it was answered, however long there is no leader.
    ///     Use nil for what only tells the state of this node, such as the end of a subscription.
    ///   - isRepeatable: whether the request may be sent to a new leader when the old one has ended without an answer. The leader's
    ///     services have to answer such a request in the same call in which they emit what comes of it; then it is carried out once.
    ///   - completion: called once, on the bus's event loop, in the order of the log.
    func request(
        _ payload: ByteBuffer, of service: ClusterServiceID, within limit: Duration?, isRepeatable: Bool,
        completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void)

    /// Sends the leader a request that only reads, after all that this node sent before. Its answer is sent beside the log, so it takes
    /// no space there however long it is. Facts that were emitted before the answer are usually, but not always, applied before it. May
    /// be called from any thread, never blocks.
    ///
    /// - Parameters:
    ///   - limit: how long an answer may take; nil for as long as the process runs.
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
