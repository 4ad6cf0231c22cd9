import Identifiers
import NIOCore
import ServerCluster
import ServerRuntime
import ServerStorage

/// The channels of a cluster with several partitions: what belongs to an application goes to its partition only (CR-50).
///
/// Every partition has the whole configuration, so one that does not own an application could list it as well; lists and sums
/// therefore include an application from its own partition only.
package final class PartitionedChannels: ChannelBackend {
    private let partitions: ClusterPartitions
    private let backends: [any ChannelBackend]

    /// - Parameter backends: the backend of each partition; nil if there cannot be as many partitions.
    package init?(_ backends: [any ChannelBackend]) {
        guard let partitions = ClusterPartitions(backends.count) else { return nil }
        self.partitions = partitions
        self.backends = backends
    }

    /// The backend for so many partitions, and what forwards requests of the HTTP API: those of the only one, or a router.
    ///
    /// - Parameter members: at least one.
    package static func of(
        _ members: [ClusterChannels]
    ) -> (channels: any ChannelBackend, forwarder: PusherService.RequestForwarder) {
        guard members.count > 1, let router = PartitionedChannels(members) else {
            let only = members[0]
            return (only, { request, _, answer in only.forward(request, answer) })
        }
        let partitions = router.partitions
        return (
            router,
            { request, application, answer in
                members[partitions.partition(of: application.id, in: .pusher)].forward(request, answer)
            }
        )
    }

    private func partition(of application: String) -> Int { partitions.partition(of: application, in: .pusher) }

    private func backend(of application: String) -> any ChannelBackend { backends[partition(of: application)] }
    private func backend(of application: Application) -> any ChannelBackend { backend(of: application.id) }
    private func backend(of channel: ChannelID) -> any ChannelBackend { backend(of: channel.application) }

    // MARK: Nodes

    package func join(_ node: any ChannelNode) {
        for backend in backends { backend.join(node) }
    }

    package func leave(_ node: any ChannelNode) {
        for backend in backends { backend.leave(node) }
    }

    package func sweep(for node: any ChannelNode) {
        for backend in backends { backend.sweep(for: node) }
    }

    // MARK: Commands

    package func publish(_ publication: ChannelPublication) -> EventLoopSet {
        backend(of: publication.application).publish(publication)
    }

    package func subscribe(
        _ subscription: ChannelSubscription,
        completion: @escaping @Sendable (Result<SubscriptionGrant, SubscribeRefusal>) -> Void
    ) {
        backend(of: subscription.application).subscribe(subscription, completion: completion)
    }

    package var answersAtOnce: Bool { backends.allSatisfy { $0.answersAtOnce } }

    package func subscriptionsAhead(of application: Application) -> Int {
        backend(of: application).subscriptionsAhead(of: application)
    }

    package func unsubscribe(_ subscription: EndedSubscription) -> EventLoopSet {
        backend(of: subscription.application).unsubscribe(subscription)
    }

    /// All subscriptions of a connection belong to one application.
    package func unsubscribe(all subscriptions: [EndedSubscription]) {
        guard let first = subscriptions.first else { return }
        backend(of: first.application).unsubscribe(all: subscriptions)
    }

    package func signIn(_ signIn: ConnectionSignIn) { backend(of: signIn.application).signIn(signIn) }

    package func signOut(_ connection: UserConnection, of application: Application) {
        backend(of: application).signOut(connection, of: application)
    }

    package func close(_ reason: PusherCloseReason, application: String, user: String?) {
        backend(of: application).close(reason, application: application, user: user)
    }

    package func openConnection(of application: Application) -> ConnectionPlace {
        backend(of: application).openConnection(of: application)
    }

    /// Tickets are those of the application's partition, which gets them back.
    package func awaitPlace(
        of application: Application, _ completion: @escaping @Sendable (ConnectionPlace) -> Void
    ) -> UInt64 {
        backend(of: application).awaitPlace(of: application, completion)
    }

    package func giveUpPlace(_ ticket: UInt64, of application: Application) {
        backend(of: application).giveUpPlace(ticket, of: application)
    }

    package func closeConnection(of application: Application) { backend(of: application).closeConnection(of: application) }

    package func spend(publishes: Int, of application: Application) throws(HTTPProblem) {
        try backend(of: application).spend(publishes: publishes, of: application)
    }

    package func spendQuery(of application: Application) throws(HTTPProblem) {
        try backend(of: application).spendQuery(of: application)
    }

    // MARK: Reads

    package func occupancy(of channel: ChannelID) -> ChannelOccupancy? { backend(of: channel).occupancy(of: channel) }
    package func members(of channel: ChannelID) -> [PresenceMember] { backend(of: channel).members(of: channel) }
    package func cached(_ channel: ChannelID) -> CachedMessage? { backend(of: channel).cached(channel) }
    package func audience(of channel: ChannelID) -> EventLoopSet { backend(of: channel).audience(of: channel) }

    package func forEachOccupied(application: String, prefix: String, _ body: ([ChannelOccupancy]) -> Bool) {
        backend(of: application).forEachOccupied(application: application, prefix: prefix, body)
    }

    package func connections(of application: Application) -> Int { backend(of: application).connections(of: application) }

    package var channelCount: Int { backends.reduce(0) { $0 + $1.channelCount } }

    package var tallies: [(application: String, tally: ChannelTally)] { own(\.tallies) { $0.application } }

    package var recoveries: [(application: String, tally: RecoveryTally)] { own(\.recoveries) { $0.application } }

    package var webhookReports: [Identifier: [WebhookReport]] {
        Dictionary(own({ $0.webhookReports.map { ($0.key, $0.value) } }) { $0.0.text }) { first, _ in first }
    }

    /// The elements of all partitions, each from the partition that owns its application.
    private func own<Element>(_ list: (any ChannelBackend) -> [Element], _ application: (Element) -> String) -> [Element] {
        backends.enumerated().flatMap { index, backend in
            list(backend).filter { partition(of: application($0)) == index }
        }
    }
}
