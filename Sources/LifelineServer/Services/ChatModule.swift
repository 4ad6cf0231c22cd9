import ChatServer
import ServerCluster
import ServerRuntime
import ServerStorage

/// The module of Lifeline's chat.
struct ChatModule: ServiceModule {
    var name: ServiceName { .chat }
    /// Messages on the bridge have the older name of the service, because clients use that name.
    var bridgeName: String { "nexconn" }

    func open(_ opening: ServiceOpening) async throws -> any SharedServiceState {
        let configuration = opening.configuration
        let store = try await configuration.openedStores.chat(configuration)
        do {
            let backend = LocalChat(
                configuration.chat, store: store, restored: try await store.restore(), clock: configuration.clock,
                names: opening.names, logger: configuration.logger, bridge: opening.tap)
            return ChatServiceState(backend: backend, local: backend, store: store)
        } catch {
            await store.close()
            throw error
        }
    }

    func join(_ joining: ServiceJoining) -> any SharedServiceState {
        let configuration = joining.configuration
        let parts = joining.partitions.map { partition in
            let leading = ChatClusterLeaderFactory(
                configuration.chat, clock: configuration.clock, names: joining.names, logger: configuration.logger,
                lasting: joining.shared.map { LoggedSharedChatStore(store: $0.chat, logger: configuration.logger) })
            partition.attach(leading, .chat)
            partition.relay.answer(for: .chat) { leading.console }
            let backend = ClusteredChat(
                partition.bus, leading, settings: configuration.chat, names: joining.names, logger: configuration.logger)
            return (leading: leading, backend: backend)
        }
        return ChatServiceState(
            backend: PartitionedChat.of(parts.map(\.backend)), leading: parts.map(\.leading),
            relays: joining.partitions.map(\.relay), database: joining.shared?.chat as? any StoreAvailability)
    }
}

/// The state of chat that servers share: users, groups and channels.
private struct ChatServiceState: SharedServiceState {
    let backend: any ChatStateBackend
    /// The backend of a server or process without Redis; nil in a cluster.
    var local: LocalChat?
    /// The store. Nil in a cluster, because the leaders of partitions have their own stores.
    var store: (any ChatStore)?
    /// The leader's part of chat in each partition, which is active while this node leads the partition; empty outside of a cluster.
    var leading: [ChatClusterLeaderFactory] = []
    /// One relay for each partition, which forwards the console's calls to the leader of the partition; empty outside of a cluster.
    var relays: [ConsoleRelay] = []
    /// The database beside Redis; nil without one.
    var database: (any StoreAvailability)?

    func start(_ configuration: ServerConfiguration, _ context: ServerContext) async throws -> any RunningService {
        let service = ChatService(configuration.chat, context, backend: backend)
        do {
            try await service.prepare()
        } catch {
            await service.close()
            throw error
        }
        return RunningChat(service: service, relays: relays)
    }

    func prepare(_ settings: any Sendable) async throws -> ServiceChange {
        guard let applications = settings as? [ChatApplication] else { return {} }
        let reload = try await backend.prepare(applications)
        return {
            for leading in leading { try await leading.take(reload.settings) }
            backend.take(reload)
        }
    }

    func write(to out: inout PrometheusText) {
        availability?.write(.chat, to: &out)
        local?.writeHistories(to: &out)
        for leading in leading { leading.leading?.writeHistories(to: &out) }
    }

    /// The source of outages: the store or the database beside Redis, if its type reports outages; otherwise nil.
    private var availability: (any StoreAvailability)? { store as? any StoreAvailability ?? database }

    var unreadiness: Unreadiness? { availability?.unreadiness }
    var outage: String? { availability?.outage }

    func close() async { await store?.close() }
}

private struct RunningChat: RunningService {
    let service: ChatService
    let relays: [ConsoleRelay]

    var front: any ServerFront { service }
    var console: (any ConsoleService)? { RelayedConsole.of(service, relays: relays, id: .chat) }

    func add(to statistics: inout ServerStatistics) {
        statistics.chatMessages += service.messages
        statistics.chatRefusals += service.framesRefused
        statistics.add(service.webhookCounts)
    }
}
