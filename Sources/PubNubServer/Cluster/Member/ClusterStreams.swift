import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerRuntime
import ServerStorage

/// The keysets of a cluster on one node. The node's polls read from replicas; all other requests are forwarded to the leader.
///
/// A replica applies the facts (entries) of the cluster's log, and keeps the messages of channels that its polls subscribe to. When a poll
/// needs earlier messages, the replica requests them from the leader (rules CB-50 to CB-58). A new reader gets the newest cursor of the
/// replica, which may be older than the leader's. So the reader may get messages that were published just before, and misses none that come
/// later. If a reader's cursor comes from another node and is ahead of the replica, the reader waits (rules CB-20 to CB-25).
package final class ClusterStreams: StreamBackend {
    let relay: ClusterRelay
    private let copies: LocalStreams
    let limits: StreamLimits
    /// Whether this node reads histories from a database itself, instead of asking the leader.
    let readsHistory: Bool
    private let leading: PubNubClusterLeaderFactory?
    let state = NIOLockedValueBox(State())

    struct State: Sendable {
        var applications: [Identifier: PubNubApplication] = [:]
        /// The snapshots that are being received, by keyset.
        var incoming: [Identifier: IncomingState] = [:]
        var wanted = WantedStates()
        /// Whether the leader has announced that it answers ``PubNubClusterRequest/missed(_:subscribeKey:)``.
        var leaderAnswersMissed = false
    }

    var leaderAnswersMissed: Bool { state.withLockedValue(\.leaderAnswersMissed) }

    /// Joins the bus. Create this object before the cluster starts.
    ///
    /// - Parameters:
    ///   - names: the names of applications in the node's metrics.
    ///   - tap: receives the leader's decisions.
    ///   - leading: makes the leader on this node, and receives changed keysets.
    ///   - lasting: the database beside Redis with the histories; nil when Redis stores them.
    package init(
        _ settings: PubNubServiceSettings, clock: ServerClock, names: MetricNames, bus: any ClusterBus,
        tap: (any BridgeTap)? = nil, leading: PubNubClusterLeaderFactory?, lasting: (any SharedMessageStore)? = nil
    ) {
        readsHistory = lasting != nil
        relay = ClusterRelay(bus, clock: clock)
        self.leading = leading
        limits = StreamLimits(perChannel: settings.pollQueueLength)
        copies = LocalStreams(
            settings, clock: clock, names: names, store: ReplicaStore(lasting: lasting), restored: ReplicaStore.nothing,
            bridge: tap, log: nil,
            relay: relay)
        add(copies.applications)
        bus.attach(self, of: .pubnub)
    }

    private func add(_ applications: [PubNubApplication]) {
        for application in applications { application.isComplete = false }
        state.withLockedValue { state in
            for application in applications { state.applications[Identifier(application.subscribeKey)] = application }
        }
    }

    // MARK: Keysets

    package var storage: StreamStorage { copies.storage }
    package var applications: [PubNubApplication] { copies.applications }
    package var keysets: [Keyset] { copies.keysets }

    package func application(subscribeKey: String) -> PubNubApplication? { copies.application(subscribeKey: subscribeKey) }
    package func join(_ node: any StreamNode) { copies.join(node) }
    package func leave(_ node: any StreamNode) { copies.leave(node) }

    package func prepare(_ keysets: [Keyset]) async throws -> PubNubReload { try await copies.prepare(keysets) }

    /// Applies changed keysets. New keysets serve polls only after the leader has sent their state.
    package func take(_ reload: PubNubReload) {
        add(reload.new)
        copies.take(reload)
        leading?.take(reload.keysets)
        for application in reload.new { restart(application) }
    }

    /// The delivery counts of push webhooks. Only the leader sends the webhooks, so the list is empty unless this node is the leader.
    package func pushCounts(for node: any StreamNode) -> [(application: PubNubApplication, counts: WebhookDelivery.Counts)] {
        copies.isFirst(node) ? leading?.pushCounts ?? [] : []
    }

    package func sweep(for node: any StreamNode, later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        copies.sweep(for: node, later: later)
        relay.age()
        guard copies.isFirst(node) else { return }
        let now = storage.tokens.now
        for application in applications {
            application.withState { $0.removeUnread(at: now) }
            application.catchUpAgain()
        }
    }
}

// MARK: - Facts

extension ClusterStreams: ClusterMember {
    /// Applies a fact, which is an entry of the cluster's log. A fact that cannot be decoded is ignored: a newer version has sent it, and
    /// it concerns functions that this version does not have.
    package func apply(_ bytes: ByteBuffer) {
        guard let (key, fact) = try? PubNubFact.decode(bytes) else { return }
        if case .answersMissed = fact { return keepSubscribed() }
        guard let application = state.withLockedValue({ $0.applications[Identifier(key)] }) else { return }
        switch fact {
        case .restart: restart(application)
        case .stateAt(let snapshot, let since, let isWhole):
            // A snapshot that only continues a replica is ignored if the replica is incomplete. The leader sends a `restart` for this
            // replica next, after which the node requests a complete snapshot.
            guard isWhole || application.isComplete else { return }
            // A leader that answers requests for messages announces this before its first snapshot.
            let keepsAll = !leaderAnswersMissed
            if keepsAll, !isWhole { application.stopRequesting() }
            begin(IncomingState(snapshot, since: isWhole ? since : nil, limits, keepsAll: keepsAll), of: application)
        default: if !hold(bytes, for: application) { follow(fact, application) }
        }
    }

    func follow(_ fact: PubNubFact, _ application: PubNubApplication) {
        switch fact {
        case .decided(let messages, let groups, let absent):
            if application.isComplete { application.follow(messages, groups) }
            for user in absent { relay.forget(user, of: application) }
        case .access(let entries, let removed):
            guard application.isComplete else { return }
            application.grants.forgetRevoked(before: application.clock.unixSeconds())
            for entry in entries { application.grants.set(entry) }
            if !removed.isEmpty { application.grants.remove(removed) }
        default: break
        }
    }

    /// Keeps only the messages of channels that have polls from now on, because the leader answers requests for other messages.
    private func keepSubscribed() {
        let applications = state.withLockedValue { state in
            state.leaderAnswersMissed = true
            return Array(state.applications.values)
        }
        for application in applications { application.keepSubscribed() }
    }

    package func announcement() -> [ByteBuffer] {
        let applications = state.withLockedValue { state in
            // A leader of the previous version does not answer requests for messages. So until the new leader announces that it answers
            // them, the node assumes that it does not.
            state.leaderAnswersMissed = false
            return Array(state.applications.values)
        }
        for application in applications { application.keepAll() }
        let cursors = applications.map { application in
            (
                subscribeKey: application.subscribeKey,
                visible: application.isComplete ? application.withState { $0.streams.visible } : nil
            )
        }
        let seen = applications.map { application in
            PubNubClusterRequest.advance(
                past: application.withState { $0.streams.visible }, subscribeKey: application.subscribeKey)
        }
        return seen.map { $0.encoded() } + [PubNubClusterRequest.cursors(cursors).encoded()]
    }

    /// Called when the connection to the leader is lost. Held polls stay held. They are checked when the replica has the state of the next
    /// leader, and get a gap report if that state begins after their cursor.
    package func interrupted() {
        let applications = state.withLockedValue { state in
            state.incoming = [:]
            state.wanted = WantedStates()
            return Array(state.applications.values)
        }
        for application in applications { application.isComplete = false }
        relay.forgetAll()
    }
}
