import NIOCore

/// A node's side of one service: it receives the facts (decisions of the leader) and is notified of losses.
///
/// All methods are called on the event loop of the node's ``ClusterBus``, one call after the other. Facts and the answers to the node's own
/// requests arrive in the order of the log, in which the leader made them. Calls must not block.
package protocol ClusterMember: AnyObject, Sendable {
    /// Applies a fact, which is a decision of the leader, on this node.
    func apply(_ fact: ByteBuffer)

    /// Called when a new leader has started. Returns, as requests, the complete current state of the node's own clients; the leader ends
    /// all other state of this node. Requests that are not answered yet are sent again after the announcement and must not be part of it.
    func announcement() -> [ByteBuffer]

    /// Called when facts, or the leader's whole state, were lost and cannot be read again. The service informs its clients and starts with
    /// empty state. Right afterwards, ``announcement()`` is called.
    func interrupted()
}

/// Sends requests of a node's services to the leader.
package protocol ClusterBus: AnyObject, Sendable {
    /// The node that this process is.
    var node: ClusterNode { get }
    /// The event loop on which each ``ClusterMember`` is called.
    var eventLoop: any EventLoop { get }
    /// The store that the nodes share.
    var store: any ClusterStore { get }

    /// Registers the member of a service to receive facts. Call it before the cluster's client is started.
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
    /// How long a client's call waits for a leader before it fails.
    package static var callLimit: Duration { .seconds(3) }
}
