import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import RedisClient
import RedisStoreEngine
import ServerCluster
import ServerRuntime

/// A server's membership in a cluster over Redis. The cluster consists of partitions, each with an elected server that leads it. For each
/// partition this type has the node's part of each service, and the leader's parts, which are active while this node leads the partition.
final class ClusterBackend: ServerSeat {
    let node = ServerNode()
    private let clients: [ClusterClient]
    /// The connections to the Redis of each partition, in the order of ``clients``.
    private let engines: [RedisEngine]
    private let group: MultiThreadedEventLoopGroup
    let parts: ServerParts
    /// The database beside Redis for durable data; nil when Redis stores everything.
    private let shared: SharedStores?

    var clusterLoops: [any EventLoop] { Array(group.makeIterator()) }
    var conditions: [@Sendable () -> Unreadiness?] {
        [
            { [clients] in clients.map(\.status).unreadiness },
            { [clients, parts, shared] in
                if let reason = shared?.unreadiness { return reason }
                // The services' own conditions count only in a cluster with one partition: with several, one service that is not ready in
                // one partition must not make the whole server unready. They also do not count without a leader, because no service is
                // ready then and the condition above reports the missing leader.
                return clients.count == 1 && clients.map(\.status).unreadiness == nil ? parts.unreadiness : nil
            },
        ]
    }
    var metrics: [@Sendable (inout PrometheusText) -> Void] {
        [{ [clients] out in clients.map(\.status).write(to: &out) }] + parts.metrics
    }

    var clusterStatus: (@Sendable () -> [ClusterStatus])? { { [clients] in clients.map(\.status) } }

    /// How long a starting server waits for Redis, and then for the leaders of all partitions.
    static let patience = Duration.seconds(30)
    /// The largest number of threads for partitions. More threads help little, because a busy partition uses only one thread, and the
    /// connections of its clients need the other processors.
    private static let maximumThreads = 2

    /// Joins the servers that share Redis. Returns when this server can serve clients.
    ///
    /// - Throws: ``ServerError/redisUnreachable(reason:)`` when Redis or a leader is missing for thirty seconds,
    ///   ``ServerError/redisUnusable(reason:)`` and ``ServerError/otherLayout(reason:)`` at once.
    init(_ configuration: ServerConfiguration, _ redis: RedisConfiguration) async throws {
        group = MultiThreadedEventLoopGroup(
            numberOfThreads: min(redis.partitions, Self.maximumThreads, max(System.coreCount, 1)))
        let opened = NIOLockedValueBox<SharedStores?>(nil)
        do {
            try await Self.check(redis, for: configuration, on: group)
            let stores = try await configuration.stores?.shared?(configuration, redis.prefix)
            opened.withLockedValue { $0 = stores }
            shared = stores
            let incarnation = UInt64.random(in: 0 ... .max)
            let pace = HandOverPace()
            let partitions = try zip(redis.clusterPartitions.all, redis.addressesOfPartitions).map { [group] number, address in
                let keys = redis.keys.of(partition: number, among: redis.clusterPartitions)
                let partition = ClusterPartition(number, among: redis.clusterPartitions)
                var store = try RedisEngineSettings(redis, at: address, keys: keys, incarnation: incarnation, configuration)
                if partition != nil { store.logger[metadataKey: "partition"] = "\(number)" }
                var settings = ClusterSettings(node: store.node, clock: configuration.clock, logger: store.logger)
                (settings.partition, settings.pace, settings.version) = (partition, pace, store.version)
                let eventLoop = group.next()
                let engine = RedisEngine(store, eventLoop: eventLoop)
                return (engine: engine, client: ClusterClient(settings, engine, eventLoop: eventLoop))
            }
            engines = partitions.map(\.engine)
            clients = partitions.map(\.client)
            parts = try Self.parts(for: configuration, node: node, clients: clients, shared: stores)
        } catch {
            await opened.withLockedValue { $0 }?.close()
            try? await group.shutdownGracefully()
            throw error
        }
        for client in clients { client.start() }
        let late = await Self.late(clients, within: Self.patience)
        guard let late else { return }
        let problem =
            late.problem ?? late.trouble.values.first
            ?? "No server of the cluster was elected as its leader in time. Check that all servers reach Redis, and start again."
        await leave()
        throw ServerError.redisUnreachable(reason: problem)
    }

    /// Checks for all Redis servers at the same time whether the cluster can use them.
    private static func check(
        _ redis: RedisConfiguration, for configuration: ServerConfiguration, on group: MultiThreadedEventLoopGroup
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for start in try RedisStart.all(redis, for: configuration, on: group.next()) {
                tasks.addTask { try await start.check(within: patience) }
            }
            try await tasks.waitForAll()
        }
    }

    /// The status of a partition that is not ready within the limit, because it has no leader or this server has not read its log. Nil when
    /// all partitions are ready.
    private static func late(_ clients: [ClusterClient], within limit: Duration) async -> ClusterStatus? {
        await withTaskGroup(of: ClusterStatus?.self) { group in
            for client in clients {
                group.addTask { await client.waitUntilReady(within: limit) ? nil : client.status }
            }
            return await group.reduce(nil) { $0 ?? $1 }
        }
    }

    /// Makes this node's part of each service. In every partition it attaches the leader's parts to the bus, which carries requests to the
    /// leader.
    private static func parts(
        for configuration: ServerConfiguration, node: ServerNode, clients: [ClusterClient], shared: SharedStores?
    ) throws -> ServerParts {
        // The tap copies each published message to the console's live feed. Without a console there is no tap, because a tap costs time for
        // each message.
        let tap = configuration.admin == nil ? nil : ObservedTap(nil, feed: node.feed, of: configuration.services)
        let partitions = clients.map { client in
            let relay = ConsoleRelay(client)
            client.attach(relay, of: .console)
            return ServiceJoining.Partition(bus: client, relay: relay) { factory, id in client.attach(factory, of: id) }
        }
        guard let first = partitions.first else {
            throw ServerError.redisUnusable(reason: "The configuration has no partitions; a cluster needs at least one.")
        }
        var joining = ServiceJoining(
            configuration: configuration, names: node.names, tap: tap, bus: first.bus, relay: first.relay,
            attach: first.attach, others: Array(partitions.dropFirst()))
        joining.shared = shared
        return ServerParts(configuration.services.map { ($0.name, $0.join(joining)) }, bridge: nil)
    }

    func renew(_ redis: RedisConfiguration) {
        for (engine, address) in zip(engines, redis.addressesOfPartitions) {
            guard let link = try? RedisEngineSettings.link(redis, at: address, keys: engine.settings.keys, seed: 0) else {
                continue
            }
            engine.renew(link.endpoint)
        }
    }

    func open(_ bridge: Bridge) throws { throw ServerError.bridgeWithRedis }

    func leave() async {
        await withTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { await client.close() } }
        }
        await shared?.close()
        try? await group.shutdownGracefully()
    }
}

extension RedisEngineSettings {
    /// - Parameters:
    ///   - address: the Redis that stores the keys.
    ///   - incarnation: a random number that distinguishes this process from others with the same name; the same in all partitions.
    init(
        _ redis: RedisConfiguration, at address: RedisAddress, keys: ClusterKeys, incarnation: UInt64,
        _ configuration: ServerConfiguration
    ) throws(RedisAddressError) {
        let seed = UInt64.random(in: 0 ... .max)
        var link = try Self.link(redis, at: address, keys: keys, seed: seed)
        // The connection is tried again even after Redis has refused it, because the operator may remove the cause while the server runs
        // (rule CR-35).
        link.policy.persistence = .jittered(first: .zero, base: .seconds(5), cap: .seconds(30), atLeast: .seconds(5))
        // The name of the Redis channel for connection tests begins with the prefix of the cluster, so that the rights of the Redis user
        // can be limited to the prefix.
        link.policy.probe?.channel = RedisChannel(.channel, keys.name("probe:" + String(seed, radix: 16)))
        self.init(
            node: ClusterNode(name: redis.node, incarnation: incarnation), keys: keys, link: link, logger: configuration.logger)
        version = LifelineServer.version
    }

    static func link(
        _ redis: RedisConfiguration, at address: RedisAddress, keys: ClusterKeys, seed: UInt64
    ) throws(RedisAddressError) -> RedisLinkSettings {
        try RedisLinkSettings(address: address, clientName: "lifeline-\(redis.node)", key: keys.name(""), seed: seed)
    }
}
