import ConnectionEngine
import EngineRuntime
import Logging
import TransportCommon

/// A set of time limits: how fast a client detects an outage, and how fast it connects again.
public enum TimingProfile: String, Hashable, Sendable, CaseIterable {
    /// For production: a dead link is detected after 25 s at most; pauses between attempts grow up to 30 s.
    case standard
    /// For tests: a dead link is detected after 3 s; pauses between attempts grow up to 3 s.
    case fast

    /// The connection engine's policy for this profile.
    var policy: ConnectionPolicy {
        switch self {
        case .standard: .standard
        case .fast: .fast
        }
    }
}

/// Settings of a client that do not depend on the service: timing, network, and requirements such as encryption.
public struct ClientOptions: Hashable, Sendable {
    /// How fast the client detects an outage and connects again.
    public var timing: TimingProfile
    /// When the client tries again after a failure; nil for the service's default pauses. Rules LL-51 and RT-31.
    public var retryPolicy: RetryPolicy?
    /// A PEM file with certificate authorities, which are trusted instead of the system's; nil for the system's.
    public var certificateAuthorityFile: String?
    /// Pinned public keys; nil for none. The server's certificate chain must be trusted and contain one of these keys. Pin the server's own
    /// key, and a second one in reserve. Failures have the category `tlsUntrusted`.
    public var certificatePins: CertificatePins?
    /// The certificate that the client presents when a server requests one; nil for none. It is presented to the service, and to other
    /// servers that the client calls over TLS, such as an authorisation endpoint. Rules LL-29 and WT-50.
    public var clientCertificate: ClientCertificate?
    /// The proxy for every connection and request, used with the method `CONNECT`; nil for none. Failures of the proxy have the category
    /// `proxyUnavailable`.
    public var proxy: HTTPProxy?
    /// Header fields that are added to every connection and request to the service, such as a token for a gateway in front of it. The
    /// fields of the WebSocket handshake cannot be set; an invalid name or value is refused with `badRequest`.
    public var headers: [String: String]
    /// Whether the client refuses channels whose messages the service could read. Subscribing and publishing then throw
    /// ``LifelineError/Code/unsupported``, and nothing is sent (rule LL-26).
    public var requiresEncryption: Bool
    /// How many unread elements a sequence stores for a slow consumer; at least 1. Further elements are dropped, and a gap reports the
    /// drop.
    public var backlog: Int
    /// How long one message, or one answer of a long-poll, may take from its first byte to its last; after that the client reconnects.
    /// Nil for the profile's limit: 30 s, fast 5 s. Clamped to 0.1 s to 1 h. Rule LL-47.
    public var messageTimeout: Duration?
    /// The largest message or answer in bytes; a longer one ends the connection, or fails the call. Nil for the smaller of the
    /// service's limit (Pusher 32 MiB, PubNub 8 MiB, chat 1 MiB) and the profile's (fast 4 MiB). Clamped to 1 KiB to 1 GiB. Rule LL-47.
    public var messageBytes: Int?
    /// How long a long-poll may receive no byte before the client repeats it over a new connection from the same timetoken. Zero disables
    /// this limit. Nil for the profile's limit: 60 s, fast 6 s. At least 1 s. Rule LL-48.
    ///
    /// A proxy between client and service may acknowledge bytes that it then loses; only a new request can detect this. While nothing is
    /// published, the limit costs one request per client and interval: 60 an hour by default.
    public var pollRenewal: Duration?
    /// Whether the client closes the connection when the system reports that the application is in the background; true by default.
    ///
    /// Set it to false for an application that the system lets run in the background, such as one that plays audio. The connection is then
    /// closed only by ``LifelineClient/applicationDidEnterBackground()``. Rule LL-62.
    public var suspendsInBackground: Bool
    /// How long the connection stays open after the application has entered the background; 20 s by default. Zero closes the connection at
    /// once, nil keeps it open; negative values count as zero. Rule LL-62.
    ///
    /// If the application returns within this time, the connection continues without a new authorisation, a leave or a gap. If the system
    /// suspends the process sooner, the connection is closed before the suspension.
    public var backgroundGrace: Duration?
    /// How soon the client detects a dead connection. Faster detection costs more traffic on an idle connection. The default `balanced`
    /// detects it after 25 s. A ``pollRenewal`` has precedence. Rule LL-92.
    public var liveness: Liveness
    /// Which of the device's network paths the client may use, for the service and for other servers such as an authorisation endpoint; all
    /// by default. While only excluded paths are available, attempts fail with `networkUnavailable`. On Linux the option has no effect.
    /// Rules LL-119 and SO-108.
    public var networkPaths: NetworkPaths
    /// Whether the client prevents App Nap of macOS while it is connected or connecting; false by default, because it costs battery. The
    /// option has no effect on other systems. Rules LL-120 and BG-12.
    public var preventsAppNap: Bool
    /// The logger for each status, gap, subscription and published message; nil for no log. The client never logs payloads or secrets, and
    /// channel names only at level `debug` and below. Rules LL-52 and OB-1.
    ///
    /// The logger is ignored when options are compared.
    public var logger: Logger? {
        get { uncomparedLogger.value }
        set { uncomparedLogger.value = newValue }
    }
    /// The metrics in which the client counts and measures; nil for none. Rules LL-52 and OB-3.
    ///
    /// The metrics are ignored when options are compared.
    public var metrics: ClientMetrics? {
        get { uncomparedMetrics.value }
        set { uncomparedMetrics.value = newValue }
    }
    private var uncomparedLogger: Uncompared<Logger?>
    private var uncomparedMetrics: Uncompared<ClientMetrics?>

    /// Makes options for production. Every argument that you leave out has its default.
    public init(
        timing: TimingProfile = .standard, certificateAuthorityFile: String? = nil,
        certificatePins: CertificatePins? = nil, proxy: HTTPProxy? = nil, headers: [String: String] = [:],
        requiresEncryption: Bool = false, backlog: Int = 4096, messageTimeout: Duration? = nil, messageBytes: Int? = nil,
        pollRenewal: Duration? = nil, retryPolicy: RetryPolicy? = nil,
        logger: Logger? = nil, metrics: ClientMetrics? = nil, clientCertificate: ClientCertificate? = nil,
        suspendsInBackground: Bool = true, backgroundGrace: Duration? = .seconds(20),
        liveness: Liveness = .balanced, networkPaths: NetworkPaths = .all, preventsAppNap: Bool = false
    ) {
        self.suspendsInBackground = suspendsInBackground
        self.backgroundGrace = backgroundGrace
        self.liveness = liveness
        self.networkPaths = networkPaths
        self.preventsAppNap = preventsAppNap
        uncomparedLogger = Uncompared(logger)
        uncomparedMetrics = Uncompared(metrics)
        self.retryPolicy = retryPolicy
        self.timing = timing
        self.certificateAuthorityFile = certificateAuthorityFile
        self.certificatePins = certificatePins
        self.clientCertificate = clientCertificate
        self.proxy = proxy
        self.headers = headers
        self.requiresEncryption = requiresEncryption
        self.backlog = max(backlog, 1)
        self.messageTimeout = messageTimeout
        self.messageBytes = messageBytes
        self.pollRenewal = pollRenewal
    }
}

extension ClientOptions {
    /// The connection engine's policy: the profile's, with the chosen liveness.
    var policy: ConnectionPolicy {
        var policy = timing.policy
        policy.timing = policy.timing.watching(liveness)
        return policy
    }
}
