import PubNubServer
import ServerCluster
import ServerRuntime
import ServerStorage

/// PubNub.
struct PubNubModule: ServiceModule {
    var name: ServiceName { .pubnub }

    func open(_ opening: ServiceOpening) async throws -> any SharedServiceState {
        let configuration = opening.configuration
        let times = StoreTimes(clock: configuration.clock)
        let opened = try await configuration.openedStores.messages(configuration)
        // A store in memory is not timed, because its times are too short to be measured.
        let isMemory = configuration.stores == nil && configuration.dataDirectory == nil
        let store: any MessageStore = isMemory ? opened : TimedMessageStore(store: opened, times: times)
        do {
            let streams = try await LocalStreams(
                configuration.pubnub, clock: configuration.clock, names: opening.names, store: store,
                restored: try await store.restore(), bridge: opening.tap)
            return LocalPubNubState(
                local: streams, store: store, availability: opened as? any StoreAvailability, times: isMemory ? nil : times,
                bridges: opening.bridges)
        } catch {
            await store.close()
            throw error
        }
    }

    func join(_ joining: ServiceJoining) -> any SharedServiceState {
        let (configuration, clock) = (joining.configuration, joining.configuration.clock)
        let lasting = joining.shared.map {
            TimedSharedMessageStore(store: $0.messages, times: StoreTimes(clock: clock), logger: configuration.logger)
        }
        let parts = joining.partitions.map { partition in
            let leading = PubNubClusterLeaderFactory(configuration.pubnub, clock: clock, names: joining.names, lasting: lasting)
            partition.attach(leading, .pubnub)
            let streams = ClusterStreams(
                configuration.pubnub, clock: clock, names: joining.names, bus: partition.bus, tap: joining.tap, leading: leading,
                lasting: lasting)
            return (leading: leading, streams: streams)
        }
        return ClusterPubNubState(
            streams: PartitionedStreams.of(parts.map(\.streams)), leading: parts.map(\.leading),
            availability: joining.shared?.messages as? any StoreAvailability, times: lasting?.times)
    }
}

/// The state of PubNub that the servers of one process share.
private struct LocalPubNubState: SharedServiceState {
    let local: LocalStreams
    let store: any MessageStore
    /// The store, if its type reports outages; otherwise nil.
    let availability: (any StoreAvailability)?
    /// The measured times of the store; nil for a store in memory.
    let times: StoreTimes?
    let bridges: OpenBridges

    func start(_ configuration: ServerConfiguration, _ context: ServerContext) async throws -> any RunningService {
        RunningPubNub(service: PubNubService(configuration.pubnub, context, streams: local))
    }

    /// Refuses a change of keysets if an open bridge would give everybody access to channels that require grants (rule BR-22).
    func prepare(_ settings: any Sendable) async throws -> ServiceChange {
        guard let keysets = settings as? [Keyset] else { return {} }
        let reload = try await local.prepare(keysets)
        return { try bridges.change(checking: { try $0.check(reload.keysets) }, { local.take(reload) }) }
    }

    func check(_ bridge: Bridge) throws { try bridge.check(local.keysets) }

    func write(to out: inout PrometheusText) {
        times?.write(to: &out)
        availability?.write(.pubnub, to: &out)
        local.writeHistories(to: &out)
    }

    var unreadiness: Unreadiness? { availability?.unreadiness }
    var outage: String? { availability?.outage }

    func close() async {
        await local.close()
        await store.close()
    }
}

/// The state of PubNub on one node of a cluster.
private struct ClusterPubNubState: SharedServiceState {
    let streams: any StreamBackend
    /// The leader's part of PubNub in each partition, which is active while this node leads the partition.
    let leading: [PubNubClusterLeaderFactory]
    /// The database beside Redis, if its type reports outages; nil when Redis stores everything.
    let availability: (any StoreAvailability)?
    /// The measured times of the database; nil when Redis stores everything.
    let times: StoreTimes?

    var outage: String? { availability?.outage }

    /// The reason why the service is not ready. It excludes outages of the database, because the backend of the cluster checks the database
    /// for all services.
    var unreadiness: Unreadiness? { streams.servesPolls ? nil : .leader }

    func write(to out: inout PrometheusText) {
        times?.write(to: &out)
        availability?.write(.pubnub, to: &out)
        for leading in leading { leading.writeHistories(to: &out) }
    }

    func start(_ configuration: ServerConfiguration, _ context: ServerContext) async throws -> any RunningService {
        RunningPubNub(service: PubNubService(configuration.pubnub, context, streams: streams))
    }

    func prepare(_ settings: any Sendable) async throws -> ServiceChange {
        guard let keysets = settings as? [Keyset] else { return {} }
        let reload = try await streams.prepare(keysets)
        return { streams.take(reload) }
    }
}

private struct RunningPubNub: RunningService {
    let service: PubNubService

    var front: any ServerFront { service }

    func add(to statistics: inout ServerStatistics) {
        let polls = service.counts
        statistics.heldPolls += polls.held
        statistics.polls += polls.polls
        statistics.messagesPolled += polls.messages
        statistics.messagesPublished += service.published
        statistics.add(service.webhookCounts)
    }
}
