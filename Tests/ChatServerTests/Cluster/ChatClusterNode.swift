import AsyncHTTPClient
import ChatProtocol
import ClusterTestSupport
import Identifiers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ServerCluster
import ServerStorage
import WireCoding

@testable import ChatServer
@testable import ServerRuntime
@testable import ServerTestSupport

/// A server of chat on a node of a cluster in one process.
final class ChatClusterNode: Sendable {
    let bus: InProcessBus
    /// The way to the leader, which can be cut.
    let way: CutBus
    let chat: ClusteredChat
    let service: ChatService
    let factory: ChatClusterLeaderFactory
    private let host: ServerHost
    private let listener: any Channel
    private let sweeps: [RepeatedTask]
    private let group: MultiThreadedEventLoopGroup
    private let isStopped = NIOLockedValueBox(false)

    var port: Int { listener.localAddress?.port ?? 0 }

    /// Starts a server, which then has to join the cluster.
    ///
    /// - Parameter database: has what lasts; nil where Redis keeps everything.
    init(
        _ name: String, in cluster: InProcessCluster, _ settings: ChatApplication, database: ModelChatDatabase? = nil
    ) async throws {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let names = MetricNames()
        let chatSettings = ChatServiceSettings(applications: [settings], chatHeartbeat: .seconds(30))
        group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        bus = cluster.bus(name)
        let context = ServerContext(
            RuntimeSettings(host: "127.0.0.1", port: 0, clock: .system, logger: logger), eventLoops: Array(group.makeIterator()),
            node: ServerNode(names: names))
        factory = ChatClusterLeaderFactory(
            chatSettings, clock: .system, names: names, logger: logger, lasting: database, sweepInterval: .milliseconds(5))
        way = CutBus(bus)
        chat = ClusteredChat(way, factory, settings: chatSettings, names: names, logger: logger)
        service = ChatService(chatSettings, context, backend: chat)
        try await service.prepare()
        host = ServerHost(context, [service])
        try await host.prepare()
        listener = try await Listener(host, on: group).bind()
        sweeps = host.startSweeping()
    }

    /// Ends as a server does that stops.
    func stop() async throws {
        let wasStopped = isStopped.withLockedValue { isStopped in
            defer { isStopped = true }
            return isStopped
        }
        guard !wasStopped else { return }
        host.context.admission.withLockedValue { $0.drain() }
        try? await listener.close()
        try await host.finishSockets(within: .milliseconds(200))
        for sweep in sweeps { sweep.cancel() }
        await host.close()
        for loop in host.context.loops { loop.queue.close() }
        try await group.shutdownGracefully()
    }

    // MARK: Clients

    /// Connects, says hello and reads all that was missed.
    func device(_ user: String, _ device: String = "d-1", class kind: String = "mobile") async throws -> ChatTestClient {
        let token = try await service.issueToken(app: "app-key", user: user, name: user)
        return try await ChatTestClient.live(port: port, token: token, device: device, class: kind)
    }

    /// What a call is signed with.
    struct Stamp: Sendable {
        let nonce = String(UInt64.random(in: .min ... .max))
        let time = String(ServerClock.system.unixTicks() / 10_000)
    }

    /// Calls the server API; the answer's status and body.
    func call(
        _ path: String, _ body: JSONValue = [:], stamp: Stamp = Stamp()
    ) async throws -> (status: Int, body: JSONValue) {
        let (nonce, time) = (stamp.nonce, stamp.time)
        let signature = ChatServerSignature.sign(secret: "app-secret", nonce: nonce, timestamp: time)
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/v4/\(path)")
        request.method = .POST
        request.headers = .init([
            ("App-Key", "app-key"), ("Nonce", nonce), ("Timestamp", time), ("Signature", signature),
            ("Content-Type", "application/json"),
        ])
        request.body = .bytes(ByteBuffer(string: body.text))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let bytes = try await response.body.collect(upTo: 8 << 20)
        return (Int(response.status.code), try JSONValue(parsing: String(buffer: bytes)))
    }

    /// A call that has to succeed; returns its result.
    @discardableResult
    func done(_ path: String, _ body: JSONValue = [:]) async throws -> JSONValue {
        let answer = try await call(path, body)
        guard answer.status == 200 else { throw NeverHappened(description: "\(path): \(answer.status) \(answer.body.text)") }
        return answer.body["result"] ?? .null
    }
}

/// A node's way to the leader that can be cut: whoever does not wait for ever is told at once.
final class CutBus: ClusterBus {
    private let bus: InProcessBus
    let isCut = NIOLockedValueBox(false)
    /// Why requests fail while the way is cut.
    let failure = NIOLockedValueBox(ClusterFailure.unavailable)
    /// The number of sessions of which the leader was told that they have ended.
    let signOuts = NIOLockedValueBox(0)

    init(_ bus: InProcessBus) {
        self.bus = bus
    }

    var node: ClusterNode { bus.node }
    var eventLoop: any EventLoop { bus.eventLoop }
    var store: any ClusterStore { bus.store }

    func attach(_ member: any ClusterMember, of service: ClusterServiceID) { bus.attach(member, of: service) }

    func request(
        _ payload: ByteBuffer, of service: ClusterServiceID, within limit: Duration?, isRepeatable: Bool,
        completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void
    ) {
        if case .signOut? = try? ChatClusterRequest(decoding: payload) { signOuts.withLockedValue { $0 += 1 } }
        guard limit == nil || !isCut.withLockedValue({ $0 }) else {
            let failure = failure.withLockedValue { $0 }
            return eventLoop.execute { completion(.failure(failure)) }
        }
        bus.request(payload, of: service, within: limit, isRepeatable: isRepeatable, completion: completion)
    }

    func query(
        _ payload: ByteBuffer, of service: ClusterServiceID, within limit: Duration?, isRepeatable: Bool,
        completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void
    ) {
        request(payload, of: service, within: limit, isRepeatable: isRepeatable, completion: completion)
    }
}

/// Nodes of chat on a cluster in one process.
final class ChatCluster: Sendable {
    let cluster: InProcessCluster
    let nodes: [ChatClusterNode]
    private let redis: ChatRedis

    private init(_ cluster: InProcessCluster, _ nodes: [ChatClusterNode], _ redis: ChatRedis) {
        self.cluster = cluster
        self.nodes = nodes
        self.redis = redis
    }

    /// Runs `body` with a cluster over a Redis of its own. The first node leads.
    ///
    /// - Parameter database: has what lasts; nil where Redis keeps everything.
    static func with(
        _ count: Int, _ settings: ChatApplication = .development, database: ModelChatDatabase? = nil,
        _ body: (ChatCluster) async throws -> Void
    ) async throws {
        let redis = try ChatRedis()
        let cluster = InProcessCluster(store: redis.store)
        var nodes: [ChatClusterNode] = []
        for number in 0..<count {
            nodes.append(try await ChatClusterNode("n\(number)", in: cluster, settings, database: database))
        }
        let chat = ChatCluster(cluster, nodes, redis)
        do {
            for node in nodes { await cluster.join(node.bus) }
            try await chat.lead(nodes[0])
            try await body(chat)
        } catch {
            for node in nodes { try await node.stop() }
            throw error
        }
        for node in nodes { try await node.stop() }
    }

    subscript(number: Int) -> ChatClusterNode { nodes[number] }

    /// Has a node lead from here on.
    func lead(_ node: ChatClusterNode) async throws {
        try await cluster.lead(by: [.chat: node.factory])
    }

    /// Names of keys in Redis.
    func keys(_ patterns: String...) async throws -> [String] {
        var keys: [String] = []
        for pattern in patterns { keys += try await redis.keys(pattern) }
        return keys
    }

    /// Whether any key of Redis, or any answer of the leader, has these words.
    func isInRedis(_ words: String) async throws -> Bool {
        if cluster.answers.contains(where: { String(buffer: $0).contains(words) }) { return true }
        return try await redis.has(words)
    }

    /// The application of the node that leads.
    var application: ServedChatApplication {
        get throws {
            guard let leading = nodes.lazy.compactMap({ $0.factory.leading }).first, let application = leading.applications.first
            else { throw NeverHappened(description: "nobody leads") }
            return application
        }
    }
}
