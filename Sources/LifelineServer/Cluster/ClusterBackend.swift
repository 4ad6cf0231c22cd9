import ChatServer
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import PubNubServer
import PusherServer
import RedisClient
import ServerCluster
import ServerRuntime
import ServiceBridge

/// A server's membership in a cluster over Redis: the node's part of each service, and the leader's parts while this node leads.
final class ClusterBackend: ServerSeat {
    let node = ServerNode()
    let client: ClusterClient
    private let group: MultiThreadedEventLoopGroup
    private let shared: Parts

    struct Parts: ServerParts {
        let channels: any ChannelBackend
        let streams: any StreamBackend
        let chat: any ChatBackend
        let pusherForwarder: PusherService.RequestForwarder?
        let reloading = NIOLockedValueBox<Task<Void, any Error>?>(nil)
        fileprivate let pusherLeading: PusherClusterLeaderFactory
        fileprivate let chatLeading: ChatClusterLeaderFactory
        var bridge: BridgeQueue? { nil }

        func take(_ keysets: PubNubReload?, _ applications: ChatReload?) async throws {
            if let keysets { streams.take(keysets) }
            guard let applications else { return }
            try await chatLeading.take(applications.settings)
            chat.take(applications)
        }

        func applicationsChanged() { pusherLeading.applicationsChanged() }
    }

    var parts: any ServerParts { shared }
    var clusterLoop: (any EventLoop)? { client.eventLoop }
    var conditions: [@Sendable () -> Unreadiness?] { [{ [client] in client.status.unreadiness }] }
    var metrics: [@Sendable (inout PrometheusText) -> Void] { [{ [client] out in client.status.write(to: &out) }] }

    var clusterStatus: (@Sendable () -> ClusterStatus)? { { [client] in client.status } }

    /// How long a starting server waits for Redis and for a leader.
    private static let patience = Duration.seconds(30)

    /// Joins the servers that share Redis; returns when this one can serve clients.
    ///
    /// - Throws: ``ServerError/redisUnreachable(reason:)`` after thirty seconds, ``ServerError/redisUnusable(reason:)`` at once.
    init(_ configuration: ServerConfiguration, _ redis: RedisConfiguration) async throws {
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let settings = try ClusterSettings(redis, configuration)
            try await RedisStart(settings, redis, group.next()).check(within: Self.patience)
            client = ClusterClient(settings, eventLoop: group.next())
            shared = Self.parts(configuration, node, client)
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

    /// Attaches each service's part on this node, and the factory of its leader's part, to the bus of the cluster.
    private static func parts(_ configuration: ServerConfiguration, _ node: ServerNode, _ client: ClusterClient) -> Parts {
        let (clock, names) = (configuration.clock, node.names)
        let pusher = PusherClusterLeaderFactory(
            configuration.pusher, configuration.runtime, userOfflineGrace: configuration.userOfflineGrace)
        let pubnub = PubNubClusterLeaderFactory(configuration.pubnub, clock: clock, names: names)
        let chat = ChatClusterLeaderFactory(configuration.chat, clock: clock, names: names, logger: configuration.logger)
        client.attach(pusher, of: .pusher)
        client.attach(pubnub, of: .pubnub)
        client.attach(chat, of: .chat)
        let channels = ClusterChannels(
            bus: client, clock: clock, recoveries: { pusher.recoveries }, webhooks: { pusher.webhookReports })
        // Called for each message; without a console there are no viewers.
        let tap = configuration.admin == nil ? nil : ObservedTap(nil, feed: node.feed)
        return Parts(
            channels: channels,
            streams: ClusterStreams(configuration.pubnub, clock: clock, names: names, bus: client, tap: tap, leading: pubnub),
            chat: ClusteredChat(client, chat, settings: configuration.chat, names: names, logger: configuration.logger),
            pusherForwarder: { channels.forward($0, $1) }, pusherLeading: pusher, chatLeading: chat)
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

    fileprivate static func link(_ redis: RedisConfiguration, seed: UInt64) throws -> RedisLinkSettings {
        try RedisLinkSettings(
            address: redis.address, clientName: "lifeline-\(redis.node)", key: redis.keys.name(""), seed: seed)
    }
}
