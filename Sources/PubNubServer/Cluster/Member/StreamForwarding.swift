import NIOConcurrencyHelpers
import ServerRuntime

/// Forwards requests of clients and of the node's own process to another process, which decides about the keyset.
protocol StreamForwarding: Sendable {
    /// The files of a keyset, with their contents in the shared store.
    func files(of application: PubNubApplication) -> ClusterFiles
    /// Forwards a client's request to the leader, which answers it.
    ///
    /// - Parameter counts: counts the messages that are acknowledged through this node.
    func forward(
        _ request: PubNubServerRequest, _ route: PubNubRoute, of application: PubNubApplication,
        counts: NIOLockedValueBox<ApplicationCounts>, reply: @escaping HTTPReply)
    /// Forwards to the leader a message that the node's own process publishes.
    func publish(
        _ draft: PubNubDraft, to application: PubNubApplication, isBridged: Bool, counts: NIOLockedValueBox<ApplicationCounts>,
        completion: @escaping @Sendable (ClusterPublishOutcome) -> Void)
}

extension ClusterStreams: StreamForwarding {}

extension PartitionedStreams: StreamForwarding {
    func files(of application: PubNubApplication) -> ClusterFiles { member(of: application).files(of: application) }

    func forward(
        _ request: PubNubServerRequest, _ route: PubNubRoute, of application: PubNubApplication,
        counts: NIOLockedValueBox<ApplicationCounts>, reply: @escaping HTTPReply
    ) {
        member(of: application).forward(request, route, of: application, counts: counts, reply: reply)
    }

    func publish(
        _ draft: PubNubDraft, to application: PubNubApplication, isBridged: Bool, counts: NIOLockedValueBox<ApplicationCounts>,
        completion: @escaping @Sendable (ClusterPublishOutcome) -> Void
    ) {
        member(of: application).publish(draft, to: application, isBridged: isBridged, counts: counts, completion: completion)
    }
}
