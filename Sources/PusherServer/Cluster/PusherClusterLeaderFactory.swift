import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerRuntime
import ServerStorage
import WireCoding

/// Makes a ``PusherClusterLeader`` on a node that becomes the leader, from the stored state of the previous leader.
package final class PusherClusterLeaderFactory: ClusterLeaderFactory {
    private let settings: PusherServiceSettings
    private let runtime: RuntimeSettings
    private let userOfflineGrace: Duration
    private let sweepInterval: Duration
    private let partition: ChannelPartition
    private let current = NIOLockedValueBox<PusherClusterLeader?>(nil)
    /// The delivery counts of webhook events that this process has sent when it was the leader before.
    private let formerReports = NIOLockedValueBox<[Identifier: [WebhookReport]]>([:])
    /// The numbers of events that this process has accepted over the HTTP API when it was the leader before.
    private let formerEvents = NIOLockedValueBox<[Identifier: EventCounts]>([:])

    /// - Parameters:
    ///   - userOfflineGrace: a user who reconnects within this time is not reported as offline to watchers.
    ///   - partition: the partition of the cluster whose leader is made.
    package init(
        _ settings: PusherServiceSettings, _ runtime: RuntimeSettings, userOfflineGrace: Duration,
        sweepInterval: Duration = .seconds(1), partition: ChannelPartition = .only
    ) {
        self.partition = partition
        self.settings = settings
        self.runtime = runtime
        self.userOfflineGrace = userOfflineGrace
        self.sweepInterval = sweepInterval
    }

    /// Applies a change of this node's application configuration to the leader, if this process leads.
    package func applicationsChanged() {
        current.withLockedValue { $0 }?.applicationsChanged()
    }

    /// Answers requests of the console for all servers; nil while this process does not lead.
    package var console: (any ConsoleCalls)? { current.withLockedValue { $0 }?.service }

    /// The sizes of the recovery histories; empty while this process does not lead.
    package var recoveries: [(application: String, tally: RecoveryTally)] {
        current.withLockedValue { $0 }?.channels.recoveries ?? []
    }

    /// The delivery counts of webhook events from all times in which this process was the leader; no count ever decreases (rule CP-60).
    package var webhookReports: [Identifier: [WebhookReport]] {
        let present = current.withLockedValue { $0 }?.service.webhooks.receivers ?? [:]
        return present.merging(formerReports.withLockedValue { $0 }) { $0.adding($1) }
    }

    /// The events of the HTTP API from all times in which this process was the leader; no count ever decreases (rule CR-88).
    package var eventCounts: [Identifier: EventCounts] {
        var counts = formerEvents.withLockedValue { $0 }
        for (id, present) in current.withLockedValue({ $0 })?.service.eventCounts.withLockedValue({ $0 }) ?? [:] {
            counts[id, default: EventCounts()] += present
        }
        return counts
    }

    package func makeLeader(_ context: ClusterLeaderContext) async throws -> any ClusterLeader {
        let clock = runtime.clock
        let keys = RecordKeys(context.store)
        let unixMilliseconds = Int64(clamping: clock.unixTicks() / 10_000)
        let restored = try await RestoredRecords(context.store, keys, now: unixMilliseconds)
        let records = LeaderRecords(context.output, keys, clock: clock, userOfflineGrace: userOfflineGrace)
        let remote = RemoteNodes(context.output, records, clock: clock)
        let channels = LocalChannels(
            clock: clock, userOfflineGrace: userOfflineGrace, maximumPendingBytes: runtime.maximumPendingBytes,
            partition: partition,
            remembering: { records.remember($1, of: $0) },
            unheard: { remote.keep($0, of: $1, excluding: $2, $3) })
        var applications: [Identifier: Application] = [:]
        func application(_ id: String) -> Application? {
            let known = applications[Identifier(id)] ?? settings.applications.application(id: id)
            applications[Identifier(id)] = known
            return known
        }
        // The nodes with subscriptions or users of applications that are missing in this server's configuration (rule CP-80).
        var unserved: [Identifier: Set<ClusterNode>] = [:]
        let holdings = restored.holdings.filter { kept in
            guard let application = application(kept.holding.channel.application) else {
                unserved[Identifier(kept.holding.channel.application), default: []].insert(kept.node)
                return false
            }
            guard let number = remote.number(of: kept.node) else { return false }
            channels.restore(kept.holding, of: application, eventLoopID: number)
            return true
        }
        for (node, user) in restored.users where application(user.application) == nil {
            unserved[Identifier(user.application), default: []].insert(node)
        }
        let users = restored.users.filter { application($1.application) != nil && remote.number(of: $0) != nil }
        restore(users, offline: restored.offline, remote: remote, to: channels, application: application)
        let connections = restored.connections.filter {
            application($1.application) != nil && remote.number(of: $0) != nil
        }
        for (_, count) in connections { channels.countConnections(count.count, of: count.application) }
        // Events of channels that belong to other partitions are skipped. They were stored by an earlier version, in which all channels of
        // an application belonged to one partition.
        for message in restored.cached where partition.owns(message.channel) {
            guard let application = application(message.channel.application) else { continue }
            let expires = clock.monotonic().advanced(by: .milliseconds(message.expires.clampedSubtracting(unixMilliseconds)))
            records.expectCached(until: expires)
            channels.restore(
                CachedMessage(event: message.event, data: message.data, expires: expires), of: message.channel, application)
        }
        let handover = HistoryHandover(context, key: keys.histories, clock: clock, logger: runtime.logger)
        let positions = HistoryPositions(context, key: keys.positions, clock: clock, logger: runtime.logger)
        var histories = try await handover.take(from: context)
        // Histories that a leader has handed over are complete, including events that are no longer in the log. Without a handover, the
        // histories are restored from their stored positions and from the events in the log.
        if histories.isEmpty {
            histories = try await positions.restore(from: context) { application($0)?.recovery }
        } else {
            positions.forgetFormer()
        }
        for (id, histories) in Dictionary(grouping: histories, by: { Identifier($0.channel.application) }) {
            guard let settings = application(id.text)?.recovery, settings.isEnabled else { continue }
            channels.restore(histories, settings)
        }
        channels.recordHistories { positions.write($0) }
        channels.join(remote)
        let journal = try await ClusterWebhookJournal(
            context, of: .pusher, key: keys.webhooks, clock: clock, logger: runtime.logger)
        let service = PusherService(
            settings, ServerContext(runtime, eventLoops: [context.eventLoop]), channels: channels,
            webhooks: PusherWebhookRecords(journal: journal) { news, application in
                records.strike(news.kind, on: ChannelID(application: application, name: news.channel))
            })
        // Stored webhook events are queued before any new event, so that receivers get the previous leader's events first.
        service.webhooks.restore()
        remote.tellWebhooks(by: service)
        // Delayed webhook events are scheduled again. An event is not reported if its user has rejoined, or its channel is occupied again,
        // within the delay.
        for (channel, user) in restored.absences where isAway(user, from: channel, in: channels) {
            let news = user.map { ChannelWebhookEvent.Kind.memberRemoved(user: $0) } ?? .vacated
            // The delayed event is stored again, so that the next leader sends it after a new delay if this leader ends earlier.
            records.note(news, on: channel)
            service.tell(news, on: channel.name, ofApplication: channel.application)
        }
        let leader = PusherClusterLeader(
            service: service, journal: journal, handover: handover, positions: positions, channels: channels, remote: remote,
            records: records,
            output: context.output,
            eventLoop: context.eventLoop, holdings: NodeHoldings(holdings, users: users, connections: connections),
            applications: applications, unserved: unserved)
        leader.begin(sweeping: sweepInterval)
        let reports = webhookReports.mapValues { $0.map(\.settled) }
        formerReports.withLockedValue { $0 = reports }
        let events = eventCounts
        formerEvents.withLockedValue { $0 = events }
        current.withLockedValue { $0 = leader }
        return leader
    }

    private func restore(
        _ users: [(ClusterNode, SignedInConnection)], offline: [(application: String, user: String)], remote: RemoteNodes,
        to channels: LocalChannels, application: (String) -> Application?
    ) {
        let signedIn = Dictionary(grouping: users) { Identifier($0.1.application) }
        let gone = Dictionary(grouping: offline) { Identifier($0.application) }
        for id in Set(signedIn.keys).union(gone.keys) {
            guard let application = application(id.text) else { continue }
            let connections = (signedIn[id] ?? []).compactMap { node, connection in
                remote.number(of: node).map {
                    (UserConnection(connection.socketID, eventLoopID: $0), user: connection.user, watchlist: connection.watchlist)
                }
            }
            channels.restore(connections, offline: (gone[id] ?? []).map(\.user), of: application)
        }
    }

    private func isAway(_ user: String?, from channel: ChannelID, in channels: LocalChannels) -> Bool {
        guard let user else { return channels.occupancy(of: channel) == nil }
        return !channels.members(of: channel).contains { $0.userID.isExactly(user) }
    }
}
