import ConnectionEngine
import HTTPTransport
import TransportCommon
import WebSocketTransport

/// The network options of a client, for every service: trusted certificates, proxy, network paths, and limits for messages. Each client
/// module copies its own options into this value, and transports and HTTP callers are configured from it.
package struct NetworkSettings: Sendable {
    /// A PEM file with the trusted certificate authorities; nil for the system's.
    package var authorityFile: String?
    package var pins: CertificatePins?
    package var certificate: ClientCertificate?
    package var proxy: HTTPProxy?
    package var paths: NetworkPaths
    /// The policy with the time limits for dead connections, and the default limits for messages.
    package var policy: ConnectionPolicy
    /// How long a message may take from its first byte to its last; nil for the policy's limit.
    package var messageTimeout: Duration?
    /// The largest accepted message in bytes; nil for the limit of the policy and the service.
    package var messageBytes: Int?
    /// The time limits for establishing a connection and for its close handshake; nil for the transport's defaults.
    package var timing: (connect: Duration, close: Duration)?

    package init(
        policy: ConnectionPolicy, authorityFile: String?, pins: CertificatePins?, certificate: ClientCertificate?,
        proxy: HTTPProxy?, paths: NetworkPaths, messageTimeout: Duration?, messageBytes: Int?
    ) {
        self.policy = policy
        self.authorityFile = authorityFile
        self.pins = pins
        self.certificate = certificate
        self.proxy = proxy
        self.paths = paths
        self.messageTimeout = messageTimeout
        self.messageBytes = messageBytes
    }

    /// The largest accepted message in bytes for a service whose own limit is `service` bytes: the configured limit, or otherwise the
    /// smaller one of the policy's and the service's.
    package func bytes(ofService service: Int) -> Int {
        policy.messageBytes(chosen: messageBytes, service: service)
    }

    /// The configuration of a WebSocket transport.
    ///
    /// - Parameter messageBytes: the longest message that the service sends, in bytes.
    package func webSocket(messageBytes: Int = 1 << 20) -> WebSocketTransportConfiguration {
        var configuration = WebSocketTransportConfiguration(
            trustRoots: trustRoots, pins: pins, certificate: certificate, proxy: proxy, messageTimeout: answerTimeout,
            liveness: liveness, paths: paths)
        configuration.limitMessages(to: bytes(ofService: messageBytes))
        if let timing { (configuration.connectTimeout, configuration.closeTimeout) = timing }
        return configuration
    }

    /// The configuration of a long-poll transport.
    ///
    /// - Parameter bodyLimit: the longest answer that the service sends, in bytes.
    package func longPoll(bodyLimit: Int = 8 << 20) -> LongPollTransportConfiguration {
        var configuration = LongPollTransportConfiguration(
            trustRoots: trustRoots, pins: pins, certificate: certificate, proxy: proxy, bodyLimit: bytes(ofService: bodyLimit),
            answerTimeout: answerTimeout, liveness: liveness, paths: paths)
        if let timing { (configuration.connectTimeout, configuration.closeTimeout) = timing }
        return configuration
    }

    /// Makes the caller for HTTP requests whose answers contain messages.
    ///
    /// - Parameter bodyLimit: the longest body of an answer that the service sends, in bytes.
    package func httpCaller(messages bodyLimit: Int) -> HTTPCaller {
        httpCaller(bodyLimit: bytes(ofService: bodyLimit))
    }

    /// Makes the caller for HTTP requests with short answers.
    ///
    /// - Parameter bodyLimit: the longest body of an answer, in bytes; a smaller limit for messages has precedence.
    package func httpCaller(answers bodyLimit: Int) -> HTTPCaller {
        httpCaller(bodyLimit: min(bodyLimit, bytes(ofService: bodyLimit)))
    }

    /// Makes a caller for HTTP requests with these network options.
    ///
    /// - Parameter bodyLimit: the longest accepted body of an answer, in bytes.
    package func httpCaller(bodyLimit: Int) -> HTTPCaller {
        HTTPCaller(
            trustRoots: trustRoots, pins: pins, certificate: certificate, proxy: proxy, bodyLimit: bodyLimit, liveness: liveness,
            paths: paths)
    }

    private var trustRoots: TrustRoots { authorityFile.map { .file($0) } ?? .system }
    private var liveness: SocketLiveness { SocketLiveness(policy.timing) }
    private var answerTimeout: Duration { policy.messageTime(chosen: messageTimeout) }
}

extension HTTPProxy {
    /// Makes a proxy with credentials if `user` is given, otherwise one without.
    package init(host: String, port: Int, user: String?, password: String?) {
        self.init(host: host, port: port, credentials: user.map { Credentials(user: $0, password: password ?? "") })
    }
}
