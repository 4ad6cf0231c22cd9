import ConnectionEngine
import TransportCommon
import WebSocketFraming

/// How a WebSocket transport dials, and its limits.
public struct WebSocketTransportConfiguration: Hashable, Sendable {
    /// Whom TLS trusts.
    public var trustRoots: TrustRoots
    /// Keys of which the server has to show one, besides being trusted; nil for any (rule WT-17).
    public var pins: CertificatePins?
    /// The certificate that the client presents when the server requests one; nil for none (rule WT-50).
    public var certificate: ClientCertificate?
    /// Goes between with `CONNECT`, for `ws` as well as for `wss`; nil for none. The name of the server is then the proxy's to resolve.
    public var proxy: HTTPProxy?
    /// How long TCP may take, over all addresses of the name. 10 s by default.
    public var connectTimeout: Duration
    /// How long the whole dial may take: name, TCP, TLS and upgrade. The engine's own timer is usually shorter. 60 s by default.
    public var dialTimeout: Duration
    /// How long the peer has to answer a close frame, and to hang up afterwards. 2 s by default.
    public var closeTimeout: Duration
    /// How long one message may take from its first byte to its last. 30 s by default.
    public var messageTimeout: Duration
    /// The largest message and the number of its fragments. 1 MiB in 1024 fragments by default.
    public var limits: WebSocketLimits
    /// How soon the kernel closes a connection whose peer is gone (rule WT-28).
    public var liveness: SocketLiveness
    /// Which paths to the network may be used (rule SO-108). All by default.
    public var paths: NetworkPaths
    /// The largest answer to the upgrade, in bytes. 64 KiB by default.
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

    /// Sets the largest message, in bytes, and as many fragments as one of that size may reasonably come in: one for each 2 KiB, and
    /// at least 1024.
    public mutating func limitMessages(to bytes: Int) {
        limits.messageBytes = max(bytes, 0)
        limits.fragments = max(bytes >> 11, 1 << 10)
    }
}
