import TransportCommon

/// The settings and limits of a long-poll transport.
public struct LongPollTransportConfiguration: Hashable, Sendable {
    /// The certificate authorities that TLS trusts.
    public var trustRoots: TrustRoots
    /// Public keys, of which the server's certificate chain must contain one in addition to being trusted; nil for no pins (rule WT-17).
    public var pins: CertificatePins?
    /// The certificate that the client presents when the server requests one; nil for none (rule WT-50).
    public var certificate: ClientCertificate?
    /// The proxy for every connection; nil, the default, for none.
    public var proxy: HTTPProxy?
    /// The time limit for opening a connection: name lookup, TCP, proxy and TLS together. 10 s by default.
    public var connectTimeout: Duration
    /// How long calls in progress may take after the session has asked to close. 2 s by default.
    public var closeTimeout: Duration
    /// How long an unused connection is kept for the next request. 15 s by default.
    public var keepAlive: Duration
    /// The largest body of an answer, in bytes. 8 MiB by default.
    public var bodyLimit: Int
    /// How long an answer may take from its first byte to its last byte. 30 s by default.
    public var answerTimeout: Duration
    /// The time within which the kernel closes a connection whose peer does not answer (rule WT-28).
    public var liveness: SocketLiveness
    /// The kinds of networks that may be used (rule SO-108). All by default.
    public var paths: NetworkPaths
    /// If a reused connection ends within this time after a request, the server is assumed to have closed the connection before the request
    /// arrived (rule HT-11). 1 s.
    var staleWindow = Duration.seconds(1)

    public init(
        trustRoots: TrustRoots = .system, pins: CertificatePins? = nil, certificate: ClientCertificate? = nil,
        proxy: HTTPProxy? = nil,
        connectTimeout: Duration = .seconds(10),
        closeTimeout: Duration = .seconds(2), keepAlive: Duration = .seconds(15), bodyLimit: Int = 8 << 20,
        answerTimeout: Duration = .seconds(30), liveness: SocketLiveness = .standard, paths: NetworkPaths = .all
    ) {
        self.trustRoots = trustRoots
        self.pins = pins
        self.certificate = certificate
        self.proxy = proxy
        self.connectTimeout = connectTimeout
        self.closeTimeout = closeTimeout
        self.keepAlive = keepAlive
        self.bodyLimit = bodyLimit
        self.answerTimeout = answerTimeout
        self.liveness = liveness
        self.paths = paths
    }
}
