import ConnectionEngine
import EngineRuntime
import Logging
import TransportCommon

/// How fast a client notices an outage and how fast it comes back.
public enum TimingProfile: String, Hashable, Sendable, CaseIterable {
    /// For production: a dead link is noticed after 25 s at most, pauses grow up to 30 s.
    case standard
    /// For tests: a dead link is noticed after 3 s, pauses grow up to 3 s.
    case fast

    /// The engine's policy for this profile.
    var policy: ConnectionPolicy {
        switch self {
        case .standard: .standard
        case .fast: .fast
        }
    }
}

/// Settings of a client that do not depend on the service: time, network, and what the client insists on.
public struct ClientOptions: Hashable, Sendable {
    /// How fast outages are noticed and mended.
    public var timing: TimingProfile
    /// When to try again after a failure; nil for the service's own pauses. Rules LL-51 and RT-31.
    public var retryPolicy: RetryPolicy?
    /// A PEM file with the certificate authorities to trust instead of the system's.
    public var certificateAuthorityFile: String?
    /// Keys of which a server has to show one, besides being trusted; nil for any. Pin the server's own key, and a second one in
    /// reserve. Failures have the category `tlsUntrusted`.
    public var certificatePins: CertificatePins?
    /// The certificate that the client presents when a server asks for one; nil for none. It is presented to the service, and to other
    /// servers that the client calls over TLS, such as an authorisation endpoint. Rules LL-29 and WT-50.
    public var clientCertificate: ClientCertificate?
    /// Goes between for every connection and request, with the method `CONNECT`; nil for none. Its failures have the category
    /// `proxyUnavailable`.
    public var proxy: HTTPProxy?
    /// Sent with every connection and request to the service, for what is in between, such as a gateway that wants a token. Nothing
    /// that the handshake itself needs; a name or value that cannot be a header's is refused with `badRequest`.
    public var headers: [String: String]
    /// Whether channels whose messages the service could read are refused: subscribing and publishing throw
    /// ``LifelineError/Code/unsupported`` then, and nothing is sent (rule LL-26).
    public var requiresEncryption: Bool
    /// How many elements a sequence may fall behind before elements are dropped for it, and the drop is declared; at least 1.
    public var backlog: Int
    /// How long one message, or one answer of a long-poll, may take from its first byte to its last; then the connection is made anew.
    /// Nil for the profile's limit: 30 s, fast 5 s. Brought into 0.1 s to 1 h. Rule LL-47.
    public var messageTimeout: Duration?
    /// How many bytes of a message or an answer are kept at most; a longer one ends the connection, or fails the call. Nil for the
    /// smaller of the service's limit (Pusher 32 MiB, PubNub 8 MiB, chat 1 MiB) and the profile's (fast 4 MiB). Brought into 1 KiB to
    /// 1 GiB. Rule LL-47.
    public var messageBytes: Int?
    /// After how long without a single byte a long-poll is asked again, over a new connection and from the same place; zero for
    /// never. Nil for the profile's limit: 60 s, fast 6 s. At least 1 s. Rule LL-48.
    ///
    /// Something between client and service, such as a proxy, may acknowledge what it has lost; then a new request is the only way to
    /// find out. Its price is one request per client and interval while nothing is published: 60 an hour by default.
    public var pollRenewal: Duration?
    /// Whether the system's notifications close the connection while the application is in the background; true unless set. Turn it off
    /// for an application that the system lets run there, such as one that plays audio; then only
    /// ``LifelineClient/applicationDidEnterBackground()`` closes it. Rule LL-66.
    public var suspendsInBackground: Bool
    /// How long the connection is kept after the application went to the background; 20 s unless set. A return within this time costs
    /// nothing: no new authorisation, no leave, no gap. Zero closes the connection at once, nil never; the system may suspend the process
    /// sooner, and then the connection is closed before. Negative counts as zero. Rule LL-90.
    public var backgroundGrace: Duration?
    /// How soon a dead connection is noticed, and what that costs on an idle connection; `balanced` unless set, which is 25 s. A
    /// ``pollRenewal`` has precedence. Rule LL-92.
    public var liveness: Liveness
    /// Which of the device's paths to the network may be used, for the service and for whoever else is asked, such as an endpoint that
    /// authorises; all unless set. While only others are there, attempts fail with `networkUnavailable`. On Apple platforms only: on
    /// Linux it has no effect. Rules LL-119 and SO-108.
    public var networkPaths: NetworkPaths
    /// Whether App Nap of macOS is kept away while the client is connected or tries to be; false unless set, since it costs battery. No
    /// effect elsewhere. Rules LL-120 and BG-12.
    public var preventsAppNap: Bool
    /// Where the client writes what happens: each status, gap, subscription and message published. Nil for no log. Neither payloads
    /// nor secrets are written, names of channels only at level `debug` and below. Rules LL-52 and OB-1.
    ///
    /// Does not count when options are compared.
    public var logger: Logger? {
        get { uncomparedLogger.value }
        set { uncomparedLogger.value = newValue }
    }
    /// The metrics in which the client counts and measures; nil for none. Rules LL-52 and OB-3.
    ///
    /// Does not count when options are compared.
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
