import NIOConcurrencyHelpers
import ServerRuntime

/// Has another process, which decides about a keyset, answer what clients and the node's own process request.
protocol StreamForwarding: Sendable {
    /// The files of a keyset.
    func files(of application: PubNubApplication) -> ClusterFiles
    /// Has the leader answer a request of a client.
    ///
    /// - Parameter counts: counts the messages that are acknowledged through this node.
    func forward(
        _ request: PubNubServerRequest, _ route: PubNubRoute, _ application: PubNubApplication,
        counts: NIOLockedValueBox<ApplicationCounts>, reply: @escaping HTTPReply)
    /// Has the leader publish a message of the node's own process.
    func publish(
        _ draft: PubNubDraft, to application: PubNubApplication, isBridged: Bool, counts: NIOLockedValueBox<ApplicationCounts>,
        completion: @escaping @Sendable (ClusterPublishOutcome) -> Void)
}

extension ClusterStreams: StreamForwarding {}

extension PartitionedStreams: StreamForwarding {
    func files(of application: PubNubApplication) -> ClusterFiles { member(of: application).files(of: application) }

    func forward(
        _ request: PubNubServerRequest, _ route: PubNubRoute, _ application: PubNubApplication,
        counts: NIOLockedValueBox<ApplicationCounts>, reply: @escaping HTTPReply
    ) {
        member(of: application).forward(request, route, application, counts: counts, reply: reply)
    }

    func publish(
        _ draft: PubNubDraft, to application: PubNubApplication, isBridged: Bool, counts: NIOLockedValueBox<ApplicationCounts>,
        completion: @escaping @Sendable (ClusterPublishOutcome) -> Void
    ) {
        member(of: application).publish(draft, to: application, isBridged: isBridged, counts: counts, completion: completion)
    }
}
