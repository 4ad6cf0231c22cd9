import Logging
import RealtimeHub
import ServerRuntime

/// Everything that a server can be told. The defaults need no thought: `ServerConfiguration()` is what `lifeline serve` runs.
///
/// Sizes are bytes.
public struct ServerConfiguration: Sendable {
    public typealias TLS = CertificateFiles

    /// The address to listen on. By default only this machine can connect; `0.0.0.0` or `::` publishes the server.
    public var host: String
    /// 0 picks a free port.
    public var port: Int
    public var applications: any ApplicationRegistry
    /// The applications that are known by PubNub's pairs of keys. Of several with the same subscribe key the first one counts. What a
    /// server has when it starts: ``LifelineServer/replace(keysets:chatApplications:)`` changes them while it runs.
    public var keysets: [Keyset]
    /// The chat applications. Of several with the same key the first one counts. They are changed as ``keysets`` are.
    public var chatApplications: [ChatApplication]
    /// Which of these share their public channels; nil for none.
    public var bridge: Bridge?
    /// Where messages, channel groups and chat are kept on disk; nil keeps them in memory, from where they go with the server.
    public var dataDirectory: String?
    /// Where they are kept instead; nil for ``dataDirectory``.
    public var stores: ServerStores?
    /// The Redis that this server shares with others, which are one server together; nil for a server of its own. Everything is kept there
    /// then, and neither ``dataDirectory`` nor ``stores`` counts.
    public var redis: RedisConfiguration?
    /// Nil for no TLS.
    public var tls: TLS?
    /// Put before every path, such as `/realtime`, for servers that share a name with others; empty for none. Requests without it
    /// are answered with 404, but for `/health`, `/ready` and `/metrics`, which are there both ways.
    public var pathPrefix: String
    /// Whether `X-Forwarded-For` and `X-Forwarded-Proto` are believed. Only for servers that nobody can reach but their proxy.
    public var trustsProxyHeaders: Bool
    /// Web pages whose scripts may read answers of the HTTP API, by origin; `*` for all, empty for none.
    public var corsOrigins: [String]
    /// How many threads serve connections (1 ... 64). Nil for one for each processor that the process may use, by its affinity and the
    /// quotas of its control groups; these are the event loops of the process if it has as many, otherwise the server's own.
    public var threads: Int?

    /// After this much silence of the server a client asks whether it is still there; told to clients, in whole seconds.
    public var activityTimeout: Duration
    /// How long after `activityTimeout` the server waits before it asks in turn, and as long again for an answer.
    public var pongTimeout: Duration
    /// How long a new connection may take to send its first request, and a request to arrive as a whole.
    public var requestTimeout: Duration
    /// How long a connection may rest between two requests.
    public var keepAliveTimeout: Duration
    /// How long a poll is held before it is answered with nothing, where its keyset does not say. Clients give up at 310 s (PubNub
    /// wire sheet 1.2).
    public var pollHold: Duration
    /// How many messages of a channel are kept for polls to catch up with.
    public var pollQueueLength: Int
    /// After this much silence of a chat client the server asks whether it is still there, and cuts it 10 s later.
    public var chatHeartbeat: Duration
    /// How long a user whose last connection has ended stays online for those who watch, so that nobody hears of a connection
    /// that was lost and made again (rule HB-52).
    public var userOfflineGrace: Duration
    /// How long a WebSocket message may take from its first byte to its last.
    public var messageTimeout: Duration
    /// How long a peer may take to answer a close frame.
    public var closeTimeout: Duration
    /// How long a stop waits for connections to end. Over the first nine tenths of it connections are closed evenly, but no more
    /// slowly than one in 20 ms, so that clients do not all come back at once (rule SV-37).
    public var drainTimeout: Duration
    /// The close code that a stop says to Pusher's clients, 4100 ... 4299. Nil for 4200 when ``reusesPort`` is on, because another
    /// server takes over, and otherwise 4100: clients that come back at once would find nobody.
    public var drainCode: UInt16?
    /// Whether other servers may listen on the same port at the same time (`SO_REUSEPORT`), so that a new one accepts connections
    /// before this one stops. Both have to be told, and to run as the same user.
    public var reusesPort: Bool

    /// WebSocket connections of the whole server; more are told to come back later.
    public var maximumConnections: Int
    /// Connections of one address, or of one network of 64 bits of IPv6; more are reset. With ``trustsProxyHeaders`` WebSockets of one
    /// client that the proxy names; more get 429. 0 for no limit.
    public var maximumConnectionsPerAddress: Int
    /// New connections of one address in a second, and five times as many at once; counted as for ``maximumConnectionsPerAddress``. 0
    /// for no limit.
    public var connectionRatePerAddress: Int
    /// Whether both limits hold for programs of this machine, too.
    public var limitsLoopback: Bool
    /// A message of a client, over all its fragments.
    public var maximumMessageBytes: Int
    public var maximumFragments: Int
    /// A request body. Batches of events and requests of the chat API may have four times as much, because text comes escaped in
    /// them: the default holds a full batch whatever is in it.
    public var maximumRequestBytes: Int
    /// Bytes that may wait for one subscriber; a slower one is cut off (rule SV-4).
    public var maximumPendingBytes: Int
    /// Bytes that may wait for one event loop, at least 1024. Beyond that those who publish to its subscribers are slowed down
    /// (rules SV-14 and SV-15).
    public var maximumQueuedBytes: Int
    /// How long a request waits for room on event loops before it is answered with 503.
    public var publishTimeout: Duration

    public var clock: ServerClock
    public var logger: Logger

    public init(
        host: String = "127.0.0.1", port: Int = 6001,
        applications: any ApplicationRegistry = InMemoryApplicationRegistry([.development]),
        keysets: [Keyset] = [.development], chatApplications: [ChatApplication] = [.development], bridge: Bridge? = nil,
        dataDirectory: String? = nil, stores: ServerStores? = nil, redis: RedisConfiguration? = nil,
        tls: TLS? = nil, pathPrefix: String = "", trustsProxyHeaders: Bool = false, corsOrigins: [String] = ["*"],
        threads: Int? = nil,
        activityTimeout: Duration = .seconds(120), pongTimeout: Duration = .seconds(30),
        requestTimeout: Duration = .seconds(10), keepAliveTimeout: Duration = .seconds(75),
        pollHold: Duration = .seconds(280), pollQueueLength: Int = 100,
        chatHeartbeat: Duration = .seconds(30), userOfflineGrace: Duration = .seconds(3),
        messageTimeout: Duration = .seconds(10), closeTimeout: Duration = .seconds(3), drainTimeout: Duration = .seconds(5),
        drainCode: UInt16? = nil, reusesPort: Bool = false,
        maximumConnections: Int = 100_000, maximumConnectionsPerAddress: Int = 2_000, connectionRatePerAddress: Int = 200,
        limitsLoopback: Bool = false, maximumMessageBytes: Int = 65_536, maximumFragments: Int = 64,
        maximumRequestBytes: Int = 262_144, maximumPendingBytes: Int = 1 << 20,
        maximumQueuedBytes: Int = 16 << 20, publishTimeout: Duration = .seconds(3), clock: ServerClock = .system,
        logger: Logger = Logger(label: "lifeline.server", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.host = host
        self.port = port
        self.applications = applications
        self.keysets = keysets
        self.chatApplications = chatApplications
        self.bridge = bridge
        self.dataDirectory = dataDirectory
        self.stores = stores
        self.redis = redis
        self.tls = tls
        self.pathPrefix = pathPrefix
        self.trustsProxyHeaders = trustsProxyHeaders
        self.corsOrigins = corsOrigins
        self.threads = threads
        self.activityTimeout = activityTimeout
        self.pongTimeout = pongTimeout
        self.requestTimeout = requestTimeout
        self.keepAliveTimeout = keepAliveTimeout
        self.pollHold = pollHold
        self.pollQueueLength = pollQueueLength
        self.chatHeartbeat = chatHeartbeat
        self.userOfflineGrace = userOfflineGrace
        self.messageTimeout = messageTimeout
        self.closeTimeout = closeTimeout
        self.drainTimeout = drainTimeout
        self.drainCode = drainCode
        self.reusesPort = reusesPort
        self.maximumConnections = maximumConnections
        self.maximumConnectionsPerAddress = maximumConnectionsPerAddress
        self.connectionRatePerAddress = connectionRatePerAddress
        self.limitsLoopback = limitsLoopback
        self.maximumMessageBytes = maximumMessageBytes
        self.maximumFragments = maximumFragments
        self.maximumRequestBytes = maximumRequestBytes
        self.maximumPendingBytes = maximumPendingBytes
        self.maximumQueuedBytes = maximumQueuedBytes
        self.publishTimeout = publishTimeout
        self.clock = clock
        self.logger = logger
    }

    /// How often connections are looked through: fine enough for the shortest of the timeouts, and no finer than 20 ms.
    var sweepInterval: Duration {
        let shortest = [
            activityTimeout, pongTimeout, requestTimeout, keepAliveTimeout, messageTimeout, closeTimeout, pollHold,
            chatHeartbeat, publishTimeout,
        ]
        .min()
        return min(max((shortest ?? .seconds(8)) / 8, .milliseconds(20)), .seconds(1))
    }
}
