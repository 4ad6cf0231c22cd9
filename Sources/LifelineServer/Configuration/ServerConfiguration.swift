import Logging
import ServerRuntime
import ServerStorage

/// All settings of a server. `ServerConfiguration()` has the settings of `lifeline serve` without options.
///
/// Sizes are in bytes.
public struct ServerConfiguration: Sendable {
    /// The paths of the certificate and of the private key for TLS.
    public typealias TLS = CertificateFiles

    /// The address to listen on. By default only clients on this machine can connect; `0.0.0.0` or `::` publishes the server.
    public var host: String
    /// The port to listen on; 0 for any free port.
    public var port: Int
    /// The applications of the Pusher protocol.
    public var applications: any ApplicationRegistry
    /// The keysets of the PubNub protocol at the start of the server. If several have the same subscribe key, the first one is used.
    /// ``LifelineServer/replace(keysets:chatApplications:)`` replaces them while the server runs.
    public var keysets: [Keyset]
    /// The chat applications at the start of the server. If several have the same key, the first one is used.
    /// ``LifelineServer/replace(keysets:chatApplications:)`` replaces them while the server runs.
    public var chatApplications: [ChatApplication]
    /// The applications of the services that share their public channels; nil for none.
    public var bridge: Bridge?
    /// The directory for messages, channel groups and chat; nil keeps them in memory until the server stops.
    public var dataDirectory: String?
    /// The stores to use instead of ``dataDirectory``; nil for none.
    public var stores: ServerStores?
    /// The directory for the contents of uploaded files. Nil for the directory `files` in ``dataDirectory``; without that directory the
    /// contents are in memory.
    public var fileDirectory: String?
    /// The Redis that this server shares with the other servers of a cluster; nil for a single server. With Redis, ``dataDirectory`` and
    /// ``stores`` are ignored and all data are in Redis. Only with ``ServerStores/postgreSQL(_:)`` the durable data are in the database.
    public var redis: RedisConfiguration?
    /// The certificate and key for TLS; nil for no TLS.
    public var tls: TLS?
    /// The prefix of every path, such as `/realtime`, for servers that share a host name with others; empty for none. Requests without
    /// the prefix are answered with 404, except `/health`, `/ready` and `/metrics`.
    public var pathPrefix: String
    /// Whether the server uses the header fields `X-Forwarded-For` and `X-Forwarded-Proto`. Use this only if clients can reach the server
    /// through the proxy alone, because they could send these fields themselves.
    public var trustsProxyHeaders: Bool
    /// The origins of web pages whose scripts may read answers of the HTTP API; `*` for all, empty for none.
    public var corsOrigins: [String]
    /// The number of threads that serve connections (1 ... 64). Nil starts one thread for each processor that the process may use; the CPU
    /// affinity and the control groups of the process limit these processors. The server uses the event loops of the process if their
    /// number matches, otherwise its own.
    public var threads: Int?

    /// How long Pusher's clients wait without a message from the server before they send a ping. Clients receive it in whole seconds.
    public var activityTimeout: Duration
    /// After a connection is silent for `activityTimeout`, the server waits for this time before it sends a ping, and again for the answer.
    public var pongTimeout: Duration
    /// How long a new connection may take to send its first request, and a request to arrive completely.
    public var requestTimeout: Duration
    /// How long a connection may be idle between two requests.
    public var keepAliveTimeout: Duration
    /// How long a PubNub poll without messages is held, unless its keyset has its own `pollHold`. Clients time out after 310 s.
    public var pollHold: Duration
    /// How many messages of each channel are stored for PubNub clients that poll for missed messages.
    public var pollQueueLength: Int
    /// How long a chat client may be silent before the server sends a ping. The server closes the connection if no answer arrives within 10
    /// s.
    public var chatHeartbeat: Duration
    /// How long a user still counts as online after the user's last connection has ended (rule HB-52). Users who watch the online status
    /// get no notification if the user reconnects within this time.
    public var userOfflineGrace: Duration
    /// How long a WebSocket message may take from its first byte to its last.
    public var messageTimeout: Duration
    /// How long a peer may take to answer a close frame.
    public var closeTimeout: Duration
    /// How long a stop waits for connections to end. During the first nine tenths connections are closed at an even rate, at least
    /// one every 20 ms, so that clients do not all reconnect at the same moment (rule SV-37).
    public var drainTimeout: Duration
    /// The close code that a stop sends to Pusher's clients, 4100 ... 4299. Nil selects 4200 if ``reusesPort`` is true, because another
    /// server takes over. If it is false, nil selects 4100, after which clients wait before they reconnect.
    public var drainCode: UInt16?
    /// Whether other servers may listen on the same port at the same time (`SO_REUSEPORT`), so that a new server accepts connections before
    /// this one stops. Both servers need this setting and must run as the same user.
    public var reusesPort: Bool

    /// The maximum number of WebSocket connections. Further clients are refused and asked to connect again later.
    public var maximumConnections: Int
    /// The maximum number of connections of one IP address, or of one IPv6 network of 64 bits. Further connections are reset. 0 for no
    /// limit.
    ///
    /// With ``trustsProxyHeaders`` this limits the WebSocket connections of one client address that the proxy reports; further ones get
    /// 429.
    public var maximumConnectionsPerAddress: Int
    /// The maximum number of new connections of one IP address per second, with bursts of five times as many. 0 for no limit. Addresses are
    /// counted as for ``maximumConnectionsPerAddress``.
    public var connectionRatePerAddress: Int
    /// Whether the two limits of connections per address also apply to connections from this machine.
    public var limitsLoopback: Bool
    /// The maximum size of a client's message, including all fragments.
    public var maximumMessageBytes: Int
    /// The maximum number of fragments of a client's message.
    public var maximumFragments: Int
    /// The maximum size of a request body. Batches of events and requests of the chat API may be four times as large, because their texts
    /// are escaped. The default is enough for every batch with the largest number of events.
    public var maximumRequestBytes: Int
    /// The maximum number of bytes that may wait for one subscriber. A subscriber that reads more slowly is disconnected (rule SV-4).
    public var maximumPendingBytes: Int
    /// The maximum number of bytes that may wait for one event loop, at least 1024. Above this limit, publishers to subscribers of this
    /// event loop are slowed down (rules SV-14 and SV-15).
    public var maximumQueuedBytes: Int
    /// How long a publish request waits for room in the queues of event loops before it is answered with 503.
    public var publishTimeout: Duration

    /// The settings of the admin port, for the console and metrics; nil for none.
    package var admin: AdminConfiguration?
    /// The modules of the services. The services of this package always run; without applications they refuse every client as unknown.
    package var services: [any ServiceModule] = ServiceModules.all
    /// The settings of services that have no property of their own in this type, by service.
    package var settings: [ServiceName: any Sendable] = [:]
    /// The settings of applications that are made at run time; nil when they are not supported.
    package var runtimeApplications: RuntimeApplicationSettings?

    /// The server's clock.
    public var clock: ServerClock
    /// The server's log.
    public var logger: Logger

    /// Makes a configuration from the values of the properties. The defaults are those of `lifeline serve`.
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

    /// The interval of the periodic checks of connections. It is short enough for the shortest timeout, and at least 20 ms.
    var sweepInterval: Duration {
        let shortest = [
            activityTimeout, pongTimeout, requestTimeout, keepAliveTimeout, messageTimeout, closeTimeout, pollHold,
            chatHeartbeat, publishTimeout,
        ]
        .min()
        return min(max((shortest ?? .seconds(8)) / 8, .milliseconds(20)), .seconds(1))
    }
}
