import ConnectionEngine
import HTTPTransport
import TransportCommon
import WebSocketTransport

/// What an application has chosen about its connections, whatever the service: whom they trust, which way they go, and how much of a message
/// they take. Each client module copies its own options into one; transports and callers are configured from it.
package struct NetworkSettings: Sendable {
    /// A file with the authorities to trust; nil for those of the system.
    package var authorityFile: String?
    package var pins: CertificatePins?
    package var certificate: ClientCertificate?
    package var proxy: HTTPProxy?
    package var paths: NetworkPaths
    /// Says how soon a dead connection is noticed, and how much of a message is taken when nothing else is chosen.
    package var policy: ConnectionPolicy
    /// How long a message may take, chosen by the application.
    package var messageTimeout: Duration?
    /// How long a message may be, in bytes, chosen by the application.
    package var messageBytes: Int?
    /// How long a connection may take, and its goodbye; nil for what is usual.
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

    /// How many bytes of a message are taken, where the service sends at most `service`.
    package func bytes(ofService service: Int) -> Int {
        policy.messageBytes(chosen: messageBytes, service: service)
    }

    /// - Parameter messageBytes: the longest message that the service sends, in bytes.
    package func webSocket(messageBytes: Int = 1 << 20) -> WebSocketTransportConfiguration {
        var configuration = WebSocketTransportConfiguration(
            trustRoots: trustRoots, pins: pins, certificate: certificate, proxy: proxy, messageTimeout: answerTimeout,
            liveness: liveness, paths: paths)
        configuration.limitMessages(to: bytes(ofService: messageBytes))
        if let timing { (configuration.connectTimeout, configuration.closeTimeout) = timing }
        return configuration
    }

    /// - Parameter bodyLimit: the longest answer that the service sends, in bytes.
    package func longPoll(bodyLimit: Int = 8 << 20) -> LongPollTransportConfiguration {
        var configuration = LongPollTransportConfiguration(
            trustRoots: trustRoots, pins: pins, certificate: certificate, proxy: proxy, bodyLimit: bytes(ofService: bodyLimit),
            answerTimeout: answerTimeout, liveness: liveness, paths: paths)
        if let timing { (configuration.connectTimeout, configuration.closeTimeout) = timing }
        return configuration
    }

    /// What makes requests whose answers hold messages.
    ///
    /// - Parameter bodyLimit: the longest body of an answer that the service sends, in bytes.
    package func httpCaller(messages bodyLimit: Int) -> HTTPCaller {
        httpCaller(bodyLimit: bytes(ofService: bodyLimit))
    }

    /// What makes requests with short answers.
    ///
    /// - Parameter bodyLimit: the longest body of an answer, in bytes; less when a message may be no longer.
    package func httpCaller(answers bodyLimit: Int) -> HTTPCaller {
        httpCaller(bodyLimit: min(bodyLimit, bytes(ofService: bodyLimit)))
    }

    /// What makes requests on connections like these.
    ///
    /// - Parameter bodyLimit: the longest body of an answer that is taken, in bytes.
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
    /// A proxy with credentials if there is a user.
    package init(host: String, port: Int, user: String?, password: String?) {
        self.init(host: host, port: port, credentials: user.map { Credentials(user: $0, password: password ?? "") })
    }
}
