import Identifiers
import NIOConcurrencyHelpers
import ServerRuntime
import ServerStorage
import ServerValues

/// The backend of keysets for the servers of one process.
package final class LocalStreams: StreamBackend {
    package let storage: StreamStorage
    private let nodes = NodeList<any StreamNode>()
    private let settings: PubNubServiceSettings
    private let clock: ServerClock
    private let names: MetricNames
    private let bridge: (any BridgeTap)?
    private let log: (any PubNubApplicationLog)?
    private let relay: (any PresenceRelay)?
    private let state = NIOLockedValueBox(State())
    private let histories = HistoryFigures()

    private struct State: Sendable {
        var applications: [PubNubApplication] = []
        /// The applications of the currently configured keysets, by subscribe key.
        var configured: [Identifier: PubNubApplication] = [:]
    }

    /// - Parameters:
    ///   - names: the names of applications in the servers' metrics.
    ///   - bridge: forwards published messages to other services; nil when no service is bridged.
    package convenience init(
        _ settings: PubNubServiceSettings, clock: ServerClock, names: MetricNames, store: any MessageStore,
        restored: RestoredState, bridge: (any BridgeTap)? = nil
    ) async throws {
        self.init(settings, clock: clock, names: names, store: store, restored: restored, bridge: bridge, log: nil, relay: nil)
        // Reserves the first timetokens in the store, so that the first publish does not wait for it.
        try await storage.tokens.prepare()
    }

    /// Makes the keysets of a cluster: either the leader's keysets, which make decisions, or the replicas of a node.
    ///
    /// - Parameters:
    ///   - log: receives the decisions.
    ///   - relay: forwards requests that replicas cannot decide to the leader.
    init(
        _ settings: PubNubServiceSettings, clock: ServerClock, names: MetricNames, store: any MessageStore,
        restored: RestoredState, bridge: (any BridgeTap)? = nil, log: (any PubNubApplicationLog)?, relay: (any PresenceRelay)?
    ) {
        self.settings = settings
        self.clock = clock
        self.names = names
        self.bridge = bridge
        self.log = log
        self.relay = relay
        storage = StreamStorage(store: store, restored: restored, unixTicks: clock.unixTicks)
        _ = names.other(.pubnub)
        take(PubNubReload(keysets: settings.keysets, new: make(settings.keysets, restored: restored)))
    }

    // MARK: Nodes

    package func join(_ node: any StreamNode) { nodes.join(node, as: node) }

    package func leave(_ node: any StreamNode) {
        nodes.leave(node)
        for application in applications { application.forget(node.eventLoopIDs) }
    }

    /// Sends waiting push webhooks until a time limit. Call it after the last server has left and before the store is closed.
    package func close() async {
        await withTaskGroup(of: Void.self) { group in
            for application in applications { group.addTask { await application.push.webhook.close() } }
        }
    }

    /// Whether `node` is the first node that has joined. This node performs the work that is done once for all nodes, for example sweeps.
    func isFirst(_ node: any StreamNode) -> Bool { nodes.first === node }

    package func pushCounts(for node: any StreamNode) -> [(application: PubNubApplication, counts: WebhookDelivery.Counts)] {
        guard isFirst(node) else { return [] }
        return applications.compactMap { application in application.push.webhook.counts.map { (application, $0) } }
    }

    // MARK: Keysets

    package var applications: [PubNubApplication] { state.withLockedValue(\.applications) }

    /// The configurations of the keysets that are served.
    package var keysets: [Keyset] { state.withLockedValue { Array($0.configured.values) }.map(\.keyset) }

    package func application(subscribeKey: String) -> PubNubApplication? {
        let key = Identifier(subscribeKey)
        return state.withLockedValue { $0.configured[key] }
    }

    package func prepare(_ keysets: [Keyset]) async throws -> PubNubReload {
        let added = Set(keysets.map { Identifier($0.subscribeKey) })
            .subtracting(applications.map { Identifier($0.subscribeKey) })
        guard !added.isEmpty else { return PubNubReload(keysets: keysets, new: []) }
        return PubNubReload(keysets: keysets, new: make(keysets, restored: try await storage.store.restore(added)))
    }

    package func take(_ reload: PubNubReload) {
        var settings: [Identifier: Keyset] = [:]
        for keyset in reload.keysets where settings[Identifier(keyset.subscribeKey)] == nil {
            settings[Identifier(keyset.subscribeKey)] = keyset
        }
        let applications = state.withLockedValue { state in
            state.applications += reload.new
            state.configured = [:]
            for application in state.applications where settings[Identifier(application.subscribeKey)] != nil {
                state.configured[Identifier(application.subscribeKey)] = application
            }
            return state.applications
        }
        for application in applications { application.use(settings[Identifier(application.subscribeKey)]) }
    }

    /// Makes applications for new keysets. Their numbers follow the numbers of existing applications.
    private func make(_ keysets: [Keyset], restored: RestoredState) -> [PubNubApplication] {
        let applications = applications
        var known = Set(applications.map { Identifier($0.subscribeKey) })
        var new: [PubNubApplication] = []
        for keyset in keysets where known.insert(Identifier(keyset.subscribeKey)).inserted {
            new.append(
                PubNubApplication(
                    keyset: keyset, number: applications.count + new.count, slot: names.slot(.pubnub, keyset.subscribeKey),
                    storage: storage, restored: restored, limits: StreamLimits(perChannel: settings.pollQueueLength),
                    clock: clock, logger: settings.logger, nodes: nodes,
                    contents: contents(of: keyset), bridge: bridge, log: log, relay: relay))
        }
        return new
    }

    private func contents(of keyset: Keyset) -> any FileContents {
        // In a cluster, the shared store keeps the contents of files, so that every node can read them.
        guard log == nil else { return SharedFileContents() }
        guard let directory = settings.fileDirectory else { return MemoryFileContents() }
        return DirectoryFileContents(directory, subscribeKey: keyset.subscribeKey)
    }

    // MARK: Time

    package func sweep(for node: any StreamNode, later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        guard nodes.first === node else { return }
        storage.tokens.sweep()
        let now = storage.tokens.now
        for application in applications {
            sweepPresence(of: application, later)
            application.push.webhook.sweep()
            application.files.sweep(application.keyset, at: clock.unixTicks())
            application.withState { $0.streams.sweep(at: now) }
        }
        trimHistories()
    }

    /// Removes the oldest messages from histories that exceed the limits of their keysets (rule SO-165).
    private func trimHistories() {
        guard histories.begins(at: clock.monotonic()) else { return }
        let (store, histories, logger, now) = (storage.store, histories, settings.logger, clock.unixTicks())
        let applications = applications
        let limits = applications.map { (Identifier($0.subscribeKey), HistoryLimits($0.keyset, at: now)) }
        Task {
            do {
                let usages = try await store.trim(Dictionary(limits) { first, _ in first })
                histories.finish(
                    applications.compactMap { application in
                        usages[Identifier(application.subscribeKey)].map { usage in
                            .init(
                                slot: application.slot, messages: usage.messages, bytes: usage.bytes, removed: usage.removed)
                        }
                    })
            } catch {
                guard histories.fail() else { return }
                logger.error(
                    "PubNub messages beyond the history limits could not be deleted; retried every 10 s",
                    metadata: ["error": "\(logText(error))"])
            }
        }
    }

    /// Writes the size of each keyset's history as metrics.
    package func writeHistories(to out: inout PrometheusText) { histories.write(names.names, to: &out) }

    /// Removes users who have timed out. It works in slices, so that the event loop can do other work between them (rule PV-116).
    private func sweepPresence(
        of application: PubNubApplication, _ later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        let time = application.occupancyTime
        let isUnfinished = application.change { state, pending in
            state.occupancy.sweep(at: time, limit: PresenceLimits.slice, into: &pending.events)
        }
        if isUnfinished { later { self.sweepPresence(of: application, later) } }
    }
}

extension HistoryLimits {
    /// The history limits that the configuration of a keyset sets; `now` is in units of 100 ns.
    init(_ keyset: Keyset, at now: UInt64) {
        let age = keyset.historyRetention.map {
            UInt64(max($0.components.seconds, 0)).multipliedReportingOverflow(by: TimetokenClock.ticksPerSecond)
        }
        let lowest = age.map { $0.overflow ? 0 : now - min($0.partialValue, now) } ?? 0
        self.init(messages: keyset.historyMessages, bytes: keyset.historyBytes, lowest: lowest)
    }
}
