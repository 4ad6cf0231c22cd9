import ChatProtocol
import Identifiers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerRuntime
import ServerStorage

/// Makes chat's ``ChatClusterLeader`` when this node becomes the leader of the cluster.
package final class ChatClusterLeaderFactory: ClusterLeaderFactory {
    private let clock: ServerClock
    private let names: MetricNames
    private let logger: Logger
    private let bridge: (any BridgeTap)?
    private let inboxEntries: Int
    /// The database beside Redis for durable data; nil when Redis stores everything.
    private let lasting: (any SharedChatStore)?
    private let sweepInterval: TimeAmount
    private let state: NIOLockedValueBox<State>

    private struct State: Sendable {
        var settings: ChatServiceSettings
        /// The newest ``ChatClusterLeader`` of this node, while this node leads the cluster. It has the complete state of the applications.
        weak var leader: ChatClusterLeader?
        var counting: (any ChatNode)?
    }

    /// - Parameters:
    ///   - settings: the settings of the applications, which must be equal on all nodes.
    ///   - bridge: passes messages to other services.
    ///   - inboxEntries: the largest number of events in a user's inbox; the oldest are removed.
    ///   - lasting: the database beside Redis for durable data; nil when Redis stores everything.
    ///   - sweepInterval: the interval of the time-dependent work.
    package init(
        _ settings: ChatServiceSettings, clock: ServerClock, names: MetricNames, logger: Logger,
        bridge: (any BridgeTap)? = nil, inboxEntries: Int = 20_000, lasting: (any SharedChatStore)? = nil,
        sweepInterval: TimeAmount = .seconds(1)
    ) {
        self.lasting = lasting
        self.clock = clock
        self.names = names
        self.logger = logger
        self.bridge = bridge
        self.inboxEntries = inboxEntries
        self.sweepInterval = sweepInterval
        state = NIOLockedValueBox(State(settings: settings))
    }

    /// While this process leads, messages that no session has sent count in the metrics of `node`.
    func countMessages(at node: any ChatNode) { state.withLockedValue { $0.counting = node } }

    /// The leader's applications; nil while this node does not lead.
    package var leading: LocalChat? {
        state.withLockedValue(\.leader).flatMap { $0.isOpen ? $0.chat : nil }
    }

    /// Answers the console for all servers; nil while this node does not lead.
    package var console: (any ConsoleCalls)? {
        leading.map { ChatConsole(backend: $0, node: state.withLockedValue(\.counting), configured: []) }
    }

    package func makeLeader(_ context: ClusterLeaderContext) async throws -> any ClusterLeader {
        let settings = state.withLockedValue(\.settings)
        let partition = context.partition
        let redis = RedisChatStore(
            output: context.output, reader: context.store, inboxEntries: inboxEntries, hasLost: context.hasLost,
            term: context.term,
            counts: { application, limits in
                (limits.messages != nil || limits.bytes != nil) && partition?.has(application.text, of: .chat) ?? true
            }, now: clock.unixTicks)
        let lasting = try await lastingStore(context)
        let store: any ChatStore = lasting ?? redis
        let restored = try await store.restore(Set(settings.applications.map { Identifier($0.key) }))
        let nodes = ChatNodeNumbers()
        let journal = try await ClusterWebhookJournal(
            context, of: .chat, key: redis.keys.webhooks, clock: clock, logger: logger)
        let log = ChatClusterLog(redis, nodes: nodes, journal: journal, hasDatabase: lasting != nil, logger: logger)
        let chat = LocalChat(
            settings, store: store, restored: restored, clock: clock, names: names, logger: logger, bridge: bridge, log: log,
            storesFirst: lasting != nil, share: context.partition?.ids ?? .all)
        let leader = ChatClusterLeader(
            chat, log: log, nodes: nodes, countingAt: state.withLockedValue(\.counting), on: context.eventLoop, logger: logger)
        do {
            for application in chat.applications {
                try await leader.restoreLive(application)
                guard lasting != nil, let own = restored.applications[Identifier(application.key)] else { continue }
                try await leader.endUntold(application, own.inboxes)
            }
            leader.startSweeping(each: sweepInterval, on: context.eventLoop)
            let current = state.withLockedValue { state in
                state.leader = leader
                return state.settings.applications
            }
            // CC-26: the applications' settings may have changed since this leader was started.
            if current != settings.applications { try await bringUpToDate(leader) }
        } catch {
            // A leader that could not start is closed, so that it does not send webhooks and sweep at the same time as the next leader
            // (rule CR-43).
            await leader.close()
            throw error
        }
        return leader
    }

    /// Begins this leader's term in the database. From then on the database accepts no writes of a former leader (rule CR-62).
    private func lastingStore(_ context: ClusterLeaderContext) async throws -> LastingChatStore? {
        guard let lasting else { return nil }
        let partition = context.partition
        let store = try await lasting.begin(LeaderTerm(partition: partition?.number ?? 0, number: context.generation))
        return LastingChatStore(store: store, output: context.output) { partition?.has($0.text, of: .chat) ?? true }
    }

    /// Applies changed application settings to the present leader of this node and to later ones.
    package func take(_ applications: [ChatApplication]) async throws {
        state.withLockedValue { $0.settings.applications = applications }
        guard let leader = state.withLockedValue(\.leader), leader.isOpen else { return }
        try await bringUpToDate(leader)
    }

    /// Applies the latest application settings to a leader. If the settings have changed during this work, applies them again.
    private func bringUpToDate(_ leader: ChatClusterLeader) async throws {
        var taken: [ChatApplication]?
        while true {
            let latest = state.withLockedValue(\.settings.applications)
            guard latest != taken else { return }
            try await leader.take(latest)
            taken = latest
        }
    }
}

extension ServedChatApplication {
    /// Restores the stored sessions, participants and online statuses of the application.
    func restore(_ sessions: [UInt64: ChatSessionRecord], live: ChatLive, nodes: ChatNodeNumbers) {
        var live = live
        var peers: [ChatSessionPeer] = []
        for (id, record) in sessions.sorted(by: { ($0.value.signedIn, $0.key) < ($1.value.signedIn, $1.key) }) {
            guard let number = nodes.number(of: record.node) else { continue }
            let session = ChatSessionID(id: id, eventLoopID: number)
            live.sessions.append(
                ChatLive.Session(
                    session: session, user: record.user, device: Identifier(record.device.id),
                    deviceClass: record.device.class,
                    tokenIssued: record.tokenIssued, signedIn: record.signedIn))
            peers.append(
                ChatSessionPeer(
                    session: record.name, user: record.user, device: record.device, address: record.address, chat: session,
                    line: nil))
        }
        restore(live, peers)
    }
}
