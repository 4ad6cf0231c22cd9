import ConnectionEngine
import EngineRuntime
import Logging
import TransportCommon

/// How fast a client notices an outage and how fast it comes back.
public enum TimingProfile: String, Hashable, Sendable, CaseIterable {
    /// For production: a dead link is detected after 25 s at most; pauses between attempts grow up to 30 s.
    case standard
    /// For tests: a dead link is detected after 3 s; pauses between attempts grow up to 3 s.
    case fast

    /// The engine's policy for this profile.
    var policy: ConnectionPolicy {
        switch self {
        case .standard: .standard
        case .fast: .fast
        }
    }
}

/// Settings of a client that do not depend on the service: timing, network, and requirements such as encryption.
public struct ClientOptions: Hashable, Sendable {
    /// How fast outages are detected and repaired.
    public var timing: TimingProfile
    /// When to try again after a failure; nil for the service's default pauses. Rules LL-51 and RT-31.
    public var retryPolicy: RetryPolicy?
    /// A PEM file with the certificate authorities to trust instead of the system's.
    public var certificateAuthorityFile: String?
    /// Public keys of which the server's certificate chain has to contain one, in addition to being trusted; nil for any. Pin the
    /// server's own key, and a second one in reserve. Failures have the category `tlsUntrusted`.
    public var certificatePins: CertificatePins?
    /// The certificate that the client presents when a server asks for one; nil for none. It is presented to the service, and to other
    /// servers that the client calls over TLS, such as an authorisation endpoint. Rules LL-29 and WT-50.
    public var clientCertificate: ClientCertificate?
    /// The proxy for every connection and request, used with the method `CONNECT`; nil for none. Its failures have the category
    /// `proxyUnavailable`.
    public var proxy: HTTPProxy?
    /// Header fields that are added to every connection and request to the service, such as a token for a gateway in front of it. The
    /// fields of the WebSocket handshake cannot be set; a name or value that is not valid in a header is refused with `badRequest`.
    public var headers: [String: String]
    /// Whether channels whose messages the service could read are refused: subscribing and publishing throw
    /// ``LifelineError/Code/unsupported`` then, and nothing is sent (rule LL-26).
    public var requiresEncryption: Bool
    /// How many elements a sequence may fall behind; further elements are dropped for it, and a gap reports the drop. At least 1.
    public var backlog: Int
    /// How long one message, or one answer of a long-poll, may take from its first byte to its last; after that the client reconnects.
    /// Nil for the profile's limit: 30 s, fast 5 s. Clamped to 0.1 s to 1 h. Rule LL-47.
    public var messageTimeout: Duration?
    /// The largest message or answer in bytes; a longer one ends the connection, or fails the call. Nil for the smaller of the
    /// service's limit (Pusher 32 MiB, PubNub 8 MiB, chat 1 MiB) and the profile's (fast 4 MiB). Clamped to 1 KiB to 1 GiB. Rule LL-47.
    public var messageBytes: Int?
    /// How long a long-poll may receive no byte before the client repeats it over a new connection and from the same timetoken; zero
    /// for never. Nil for the profile's limit: 60 s, fast 6 s. At least 1 s. Rule LL-48.
    ///
    /// A proxy between client and service may acknowledge bytes that it then loses; only a new request can detect this. It costs one
    /// request per client and interval while nothing is published: 60 an hour by default.
    public var pollRenewal: Duration?
    /// Whether the client closes the connection when the system reports that the application is in the background; true unless set. Set
    /// it to false for an application that the system lets run there, such as one that plays audio; then only
    /// ``LifelineClient/applicationDidEnterBackground()`` closes it. Rule LL-62.
    public var suspendsInBackground: Bool
    /// How long the connection is kept after the application went to the background; 20 s unless set. A return within this time costs
    /// nothing: no new authorisation, no leave, no gap. Zero closes the connection at once, nil never; if the system suspends the
    /// process sooner, the connection is closed before that. Negative counts as zero. Rule LL-62.
    public var backgroundGrace: Duration?
    /// How soon a dead connection is detected, which costs traffic on an idle connection; `balanced` unless set, which is 25 s. A
    /// ``pollRenewal`` has precedence. Rule LL-92.
    public var liveness: Liveness
    /// Which of the device's network paths may be used, for the service and for other servers such as an authorisation endpoint; all
    /// unless set. While only excluded paths are available, attempts fail with `networkUnavailable`. On Apple platforms only: on Linux
    /// it has no effect. Rules LL-119 and SO-108.
    public var networkPaths: NetworkPaths
    /// Whether the client prevents App Nap of macOS while it is connected or connecting; false unless set, because it costs battery. No
    /// effect on other systems. Rules LL-120 and BG-12.
    public var preventsAppNap: Bool
    /// The logger for each status, gap, subscription and published message. Nil for no log. The client never logs payloads or secrets,
    /// and channel names only at level `debug` and below. Rules LL-52 and OB-1.
    ///
    /// Ignored when options are compared.
    public var logger: Logger? {
        get { uncomparedLogger.value }
        set { uncomparedLogger.value = newValue }
    }
    /// The metrics in which the client counts and measures; nil for none. Rules LL-52 and OB-3.
    ///
    /// Ignored when options are compared.
    public var metrics: ClientMetrics? {
        get { uncomparedMetrics.value }
        set { uncomparedMetrics.value = newValue }
    }
    private var uncomparedLogger: Uncompared<Logger?>
    private var uncomparedMetrics: Uncompared<ClientMetrics?>

    /// Settings for production, except for the given ones.
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
    /// The engine's policy for the profile, with the chosen liveness.
    var policy: ConnectionPolicy {
        var policy = timing.policy
        policy.timing = policy.timing.watching(liveness)
        return policy
    }
}
