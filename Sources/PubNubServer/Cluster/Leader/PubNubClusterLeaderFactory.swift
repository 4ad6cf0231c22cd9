import Identifiers
import NIOConcurrencyHelpers
import ServerCluster
import ServerRuntime
import ServerStorage

/// Makes the leader of the PubNub service on a node that becomes the cluster's leader.
package final class PubNubClusterLeaderFactory: ClusterLeaderFactory {
    private let settings: PubNubServiceSettings
    private let clock: ServerClock
    private let names: MetricNames
    private let bridge: (any BridgeTap)?
    private let storeSettings: RedisStoreSettings
    /// The database beside Redis for durable data; nil when Redis stores everything.
    private let lasting: (any SharedMessageStore)?
    private let sweepInterval: Duration
    private let state: NIOLockedValueBox<State>

    private struct State {
        var keysets: [Keyset]
        weak var leader: PubNubClusterLeader?
        /// The task that applies the latest change of the keysets; nil when no change is in progress.
        var reloading: Task<Void, Never>?
    }

    /// - Parameters:
    ///   - bridge: forwards published messages to other services; nil when no service is bridged.
    ///   - lasting: the database beside Redis for durable data; nil when Redis stores everything.
    ///   - sweepInterval: the time between two sweeps, which remove what has expired.
    package init(
        _ settings: PubNubServiceSettings, clock: ServerClock, names: MetricNames, bridge: (any BridgeTap)? = nil,
        store: RedisStoreSettings = RedisStoreSettings(), lasting: (any SharedMessageStore)? = nil,
        sweepInterval: Duration = .seconds(1)
    ) {
        self.lasting = lasting
        self.settings = settings
        self.clock = clock
        self.names = names
        self.bridge = bridge
        var store = store
        store.hasDatabase = lasting != nil
        storeSettings = store
        self.sweepInterval = sweepInterval
        state = NIOLockedValueBox(State(keysets: settings.keysets))
    }

    package func makeLeader(_ context: ClusterLeaderContext) async throws -> any ClusterLeader {
        let redis = RedisMessageStore(
            output: context.output, reader: context.store, settings: storeSettings, hasLost: context.hasLost,
            term: context.term, now: clock.unixTicks)
        var settings = settings
        let journal = try await ClusterWebhookJournal(
            context, of: .pubnub, key: redis.keys.webhooks, clock: clock, logger: settings.logger)
        settings.keysets = state.withLockedValue(\.keysets)
        let lasting = try await lasting(context, settings.keysets)
        let partition = context.partition
        let store = LeaderMessageStore(redis, output: context.output, journal: journal, lasting: lasting) {
            partition?.has($0.text, of: .pubnub) ?? true
        }
        let restored: RestoredState
        do {
            restored = try await store.restore()
        } catch {
            await store.close()
            throw error
        }
        let streams = LocalStreams(
            settings, clock: clock, names: names, store: store, restored: restored, bridge: bridge, log: store, relay: nil)
        let leader = PubNubClusterLeader(streams, store: store, context: context)
        do {
            try await leader.begin(streams.applications)
            if context.hasLost { leader.restartAll() }
        } catch {
            await leader.close()
            throw error
        }
        // The sweep starts a write and does not wait for its result. The write is stored after this method returns; changes that the leader
        // publishes later follow it in the log.
        streams.storage.tokens.sweep()
        leader.startSweeping(every: sweepInterval)
        let keysets = state.withLockedValue { state in
            state.leader = leader
            return state.keysets
        }
        if keysets != settings.keysets { take(keysets) }
        return leader
    }

    /// Begins this leader's term in the database: from now on the database refuses writes of former leaders (rule CR-62).
    private func lasting(_ context: ClusterLeaderContext, _ keysets: [Keyset]) async throws -> LastingMessages? {
        guard let lasting else { return nil }
        let partition = context.partition
        let store = try await lasting.begin(LeaderTerm(partition: partition?.number ?? 0, number: context.generation))
        return LastingMessages(store, output: context.output, names: Set(keysets.map { Identifier($0.subscribeKey) })) {
            partition?.has($0.text, of: .pubnub) ?? true
        }
    }

    /// The delivery counts of the webhooks that this node sends as the cluster's leader; empty while another node is the leader.
    var pushCounts: [(application: PubNubApplication, counts: WebhookDelivery.Counts)] {
        guard let leader = state.withLockedValue(\.leader) else { return [] }
        return leader.streams.pushCounts(for: leader)
    }

    /// Writes the metrics of the histories whose limits this node applies as the cluster's leader. When Redis stores everything, these are
    /// the histories of keysets with limits.
    package func writeHistories(to out: inout PrometheusText) {
        state.withLockedValue(\.leader)?.streams.writeHistories(to: &out)
    }

    /// Replaces the keysets of the leader on this node. Leaders that this factory makes later also get the new keysets.
    func take(_ keysets: [Keyset]) {
        state.withLockedValue { state in
            state.keysets = keysets
            guard let leader = state.leader else { return }
            let before = state.reloading
            state.reloading = Task { [weak self, weak leader] in
                await before?.value
                // Restoring keysets can fail, for example while Redis is unreachable. The loop tries again until the keysets are restored,
                // the keysets change once more, or another node becomes the leader.
                while let leader, self?.isLatest(keysets, for: leader) == true {
                    do {
                        return try await leader.take(keysets)
                    } catch {
                        // A cancelled sleep throws an error, which is ignored, because the condition of the loop then ends the loop.
                        try? await Task.sleep(for: .seconds(1))
                    }
                }
            }
        }
    }

    private func isLatest(_ keysets: [Keyset], for leader: PubNubClusterLeader) -> Bool {
        state.withLockedValue { $0.leader === leader && $0.keysets == keysets } && !Task.isCancelled
    }
}
