import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import RedisClient
import ServerCluster
import ServerRuntime

/// A server's membership in a cluster over Redis: the node's part of each service, and the leader's parts while this node leads.
final class ClusterBackend: ServerSeat {
    let node = ServerNode()
    let client: ClusterClient
    private let group: MultiThreadedEventLoopGroup
    let parts: ServerParts

    var clusterLoop: (any EventLoop)? { client.eventLoop }
    var conditions: [@Sendable () -> Unreadiness?] { [{ [client] in client.status.unreadiness }] }
    var metrics: [@Sendable (inout PrometheusText) -> Void] {
        [{ [client] out in client.status.write(to: &out) }] + parts.metrics
    }

    var clusterStatus: (@Sendable () -> ClusterStatus)? { { [client] in client.status } }

    /// How long a starting server waits for Redis and for a leader.
    static let patience = Duration.seconds(30)

    /// Joins the servers that share Redis; returns when this one can serve clients.
    ///
    /// - Throws: ``ServerError/redisUnreachable(reason:)`` after thirty seconds, ``ServerError/redisUnusable(reason:)`` at once.
    init(_ configuration: ServerConfiguration, _ redis: RedisConfiguration) async throws {
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let settings = try ClusterSettings(redis, configuration)
            try await RedisStart(settings, redis, group.next()).check(within: Self.patience)
            client = ClusterClient(settings, eventLoop: group.next())
            parts = Self.parts(configuration, node, client)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        client.start()
        guard await client.waitUntilReady(within: Self.patience) else {
            let problem = client.status.problem ?? client.status.trouble.values.first ?? "No server of the cluster leads."
            await leave()
            throw ServerError.redisUnreachable(reason: problem)
        }
    }

    /// Makes the part of each service on this node, and attaches the leader's part to the bus of the cluster.
    private static func parts(
        _ configuration: ServerConfiguration, _ node: ServerNode, _ client: ClusterClient
    ) -> ServerParts {
        // Called for each message; without a console there are no viewers.
        let tap = configuration.admin == nil ? nil : ObservedTap(nil, feed: node.feed, of: configuration.services)
        let relay = ConsoleRelay(client)
        client.attach(relay, of: .console)
        let joining = ServiceJoining(
            configuration: configuration, names: node.names, tap: tap, bus: client, relay: relay
        ) { factory, id in
            client.attach(factory, of: id)
        }
        return ServerParts(configuration.services.map { ($0.name, $0.join(joining)) }, bridge: nil)
    }

    func renew(_ redis: RedisConfiguration) {
        guard let endpoint = try? ClusterSettings.link(redis, seed: 0).endpoint else { return }
        client.renew(endpoint)
    }

    func open(_ bridge: Bridge) throws { throw ServerError.bridgeWithRedis }

    func leave() async {
        await client.close()
        try? await group.shutdownGracefully()
    }
}

extension ClusterSettings {
    init(_ redis: RedisConfiguration, _ configuration: ServerConfiguration) throws {
        var random = SystemRandomNumberGenerator()
        let seed = random.next()
        var link = try Self.link(redis, seed: seed)
        // Once a start has succeeded, no refusal of Redis is final, because the operator may remove its cause (rule CR-35).
        link.policy.persistence = .jittered(first: .zero, base: .seconds(5), cap: .seconds(30), atLeast: .seconds(5))
        // The name begins with the prefix, so that the cluster may use a Redis user whose rights are limited to that prefix.
        link.policy.probe?.channel = RedisChannel(.channel, redis.keys.name("probe:" + String(seed, radix: 16)))
        self.init(
            node: ClusterNode(name: redis.node, incarnation: random.next()), keys: redis.keys, link: link,
            clock: configuration.clock, logger: configuration.logger)
        version = LifelineServer.version
    }

    static func link(_ redis: RedisConfiguration, seed: UInt64) throws -> RedisLinkSettings {
        try RedisLinkSettings(
            address: redis.address, clientName: "lifeline-\(redis.node)", key: redis.keys.name(""), seed: seed)
    }
}
