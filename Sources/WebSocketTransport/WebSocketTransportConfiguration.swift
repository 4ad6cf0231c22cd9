import ConnectionEngine
import TransportCommon
import WebSocketFraming

/// The settings and limits of a WebSocket transport.
public struct WebSocketTransportConfiguration: Hashable, Sendable {
    /// The certificate authorities that TLS trusts.
    public var trustRoots: TrustRoots
    /// Public keys, of which the server's certificate chain must contain one in addition to being trusted; nil for no pins (rule WT-17).
    public var pins: CertificatePins?
    /// The certificate that the client presents when the server requests one; nil for none (rule WT-50).
    public var certificate: ClientCertificate?
    /// The proxy, from which a tunnel is requested with `CONNECT`, for `ws` as well as for `wss`; nil for none. The proxy resolves the
    /// server's name.
    public var proxy: HTTPProxy?
    /// The time limit for connecting by TCP, over all addresses of the host. 10 s by default.
    public var connectTimeout: Duration
    /// The time limit of the whole attempt: name lookup, TCP, TLS and upgrade. The engine's own timer is usually shorter. 60 s by
    /// default.
    public var dialTimeout: Duration
    /// How long the peer may take to answer a close frame, and then to close the connection. 2 s by default.
    public var closeTimeout: Duration
    /// How long one message may take from its first byte to its last byte. 30 s by default.
    public var messageTimeout: Duration
    /// The largest size of a message and the largest number of its fragments. 1 MiB and 1024 by default.
    public var limits: WebSocketLimits
    /// The time within which the kernel closes a connection whose peer does not answer (rule WT-28).
    public var liveness: SocketLiveness
    /// The kinds of networks that may be used (rule SO-108). All by default.
    public var paths: NetworkPaths
    /// The largest size of the answer to the upgrade request, in bytes. 64 KiB by default.
    public var responseBytes: Int

    public init(
        trustRoots: TrustRoots = .system, pins: CertificatePins? = nil, certificate: ClientCertificate? = nil,
        proxy: HTTPProxy? = nil,
        connectTimeout: Duration = .seconds(10), dialTimeout: Duration = .seconds(60),
        closeTimeout: Duration = .seconds(2), messageTimeout: Duration = .seconds(30),
        limits: WebSocketLimits = WebSocketLimits(), liveness: SocketLiveness = .standard,
        paths: NetworkPaths = .all,
        responseBytes: Int = 1 << 16
    ) {
        self.trustRoots = trustRoots
        self.pins = pins
        self.certificate = certificate
        self.proxy = proxy
        self.connectTimeout = connectTimeout
        self.dialTimeout = dialTimeout
        self.closeTimeout = closeTimeout
        self.messageTimeout = messageTimeout
        self.limits = limits
        self.liveness = liveness
        self.paths = paths
        self.responseBytes = responseBytes
    }

    /// Sets the largest size of a message, in bytes, and derives the number of fragments: one for each 2 KiB, and at least 1024.
    public mutating func limitMessages(to bytes: Int) {
        limits.messageBytes = max(bytes, 0)
        limits.fragments = max(bytes >> 11, 1 << 10)
    }
}
