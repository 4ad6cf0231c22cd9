import Identifiers
import NIOCore
import ServerCluster
import ServerRuntime
import ServerStorage

/// A router for a cluster with several partitions. Commands for a channel go to the channel's partition, and commands for a whole
/// application to the application's home partition (rule CR-80).
///
/// Counts of an application are the sums over all partitions.
package final class PartitionedChannels: ChannelBackend {
    private let partitions: ClusterPartitions
    private let backends: [any ChannelBackend]

    /// Makes the router.
    ///
    /// - Parameter backends: the backend of each partition. The result is nil if no cluster can have that number of partitions.
    package init?(_ backends: [any ChannelBackend]) {
        guard let partitions = ClusterPartitions(backends.count) else { return nil }
        self.partitions = partitions
        self.backends = backends
    }

    /// Returns two values: the backend for channels, which is a router if there are several partitions, and the function that answers
    /// requests of the HTTP API.
    ///
    /// - Parameter members: the backend of each partition, at least one.
    package static func of(
        _ members: [ClusterChannels]
    ) -> (channels: any ChannelBackend, forwarder: PusherService.RequestForwarder) {
        let router = members.count > 1 ? PartitionedChannels(members) : nil
        let requests = PartitionedRequests(
            partitions: router?.partitions ?? .one,
            // in bounds: there is a member for each partition.
            takesEvents: { partition in members[partition].takesEvents },
            // in bounds: there is a member for each partition.
            sendEvents: { partition, events, answer in members[partition].publish(events, answer) },
            // in bounds: there is a member for each partition.
            ask: { partition, request, answer in members[partition].ask(request, answer) },
            // in bounds: there is a member for each partition.
            forward: { partition, request, answer in members[partition].forward(request, answer) })
        // in bounds: there is at least one member.
        return (router ?? members[0], { request, application, answer in requests.answer(request, of: application, answer) })
    }

    // in bounds: there is a backend for each partition.
    private func backend(of application: Application) -> any ChannelBackend { backends[partitions.home(of: application.id)] }
    // in bounds: there is a backend for each partition.
    private func backend(of channel: ChannelID) -> any ChannelBackend { backends[partitions.partition(of: channel)] }

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
        backend(of: publication.channel).publish(publication)
    }

    package func subscribe(
        _ subscription: ChannelSubscription,
        completion: @escaping @Sendable (Result<SubscriptionGrant, SubscribeRefusal>) -> Void
    ) {
        backend(of: subscription.channel).subscribe(subscription, completion: completion)
    }

    package var answersAtOnce: Bool { backends.allSatisfy { $0.answersAtOnce } }

    package func subscriptionsAhead(of application: Application) -> Int {
        backends.reduce(.max) { min($0, $1.subscriptionsAhead(of: application)) }
    }

    package func unsubscribe(_ subscription: EndedSubscription) -> EventLoopSet {
        backend(of: subscription.channel).unsubscribe(subscription)
    }

    /// Each partition's backend gets the subscriptions to the partition's channels, in their order.
    package func unsubscribe(all subscriptions: [EndedSubscription]) {
        for (partition, ended) in Dictionary(grouping: subscriptions, by: { partitions.partition(of: $0.channel) }) {
            // in bounds: there is a backend for each partition.
            backends[partition].unsubscribe(all: ended)
        }
    }

    package func signIn(_ signIn: ConnectionSignIn) { backend(of: signIn.application).signIn(signIn) }

    package func signOut(_ connection: UserConnection, of application: Application) {
        backend(of: application).signOut(connection, of: application)
    }

    package func close(_ reason: PusherCloseReason, application: String, user: String?) {
        // in bounds: there is a backend for each partition.
        backends[partitions.home(of: application)].close(reason, application: application, user: user)
    }

    package func openConnection(of application: Application) -> ConnectionPlace {
        backend(of: application).openConnection(of: application)
    }

    /// The ticket is that of the application's home partition, to which ``giveUpPlace(_:of:)`` passes it back.
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
        var goesOn = true
        for backend in backends where goesOn {
            backend.forEachOccupied(application: application, prefix: prefix) { part in
                goesOn = body(part)
                return goesOn
            }
        }
    }

    package func connections(of application: Application) -> Int { backend(of: application).connections(of: application) }

    package var channelCount: Int { backends.reduce(0) { $0 + $1.channelCount } }

    package var tallies: [(application: String, tally: ChannelTally)] { backends.flatMap(\.tallies) }

    package var recoveries: [(application: String, tally: RecoveryTally)] { backends.flatMap(\.recoveries) }

    package var eventCounts: [Identifier: EventCounts] {
        backends.reduce(into: [:]) { sums, backend in
            for (id, counts) in backend.eventCounts { sums[id, default: EventCounts()] += counts }
        }
    }

    package var webhookReports: [Identifier: [WebhookReport]] {
        backends.reduce(into: [:]) { $0.merge($1.webhookReports) { $0.adding($1) } }
    }
}
