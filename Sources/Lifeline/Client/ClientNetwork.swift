import ConnectionEngine
import EngineRuntime
import HTTPTransport
import TransportCommon
import WebSocketTransport

// The network options for each kind of transport. The only place that knows their names there.
extension ClientOptions {
    private var trustRoots: TrustRoots { certificateAuthorityFile.map { TrustRoots.file($0) } ?? .system }

    /// - Parameter messageBytes: the longest message that the service sends.
    func webSocket(messageBytes: Int = 1 << 20) -> WebSocketTransportConfiguration {
        let timing = policy.timing
        var configuration = WebSocketTransportConfiguration(
            trustRoots: trustRoots, pins: certificatePins, certificate: clientCertificate, proxy: proxy,
            connectTimeout: timing.open, closeTimeout: timing.close,
            messageTimeout: messageLimit, liveness: socketLiveness, paths: networkPaths)
        configuration.limitMessages(to: limit(messageBytes))
        return configuration
    }

    var longPoll: LongPollTransportConfiguration {
        let timing = policy.timing
        return LongPollTransportConfiguration(
            trustRoots: trustRoots, pins: certificatePins, certificate: clientCertificate, proxy: proxy,
            connectTimeout: timing.open, closeTimeout: timing.close,
            bodyLimit: limit(8 << 20), answerTimeout: messageLimit, liveness: socketLiveness, paths: networkPaths)
    }

    /// For short answers: at most 64 KiB unless said otherwise.
    ///
    /// - Parameter bodyLimit: the largest body of an answer, in bytes; less when the options say so.
    func httpCaller(bodyLimit: Int = 1 << 16) -> HTTPCaller {
        HTTPCaller(
            trustRoots: trustRoots, pins: certificatePins, certificate: clientCertificate, proxy: proxy,
            bodyLimit: min(bodyLimit, limit(bodyLimit)),
            liveness: socketLiveness, paths: networkPaths)
    }

    /// For answers that hold messages.
    ///
    /// - Parameter bodyLimit: the largest body of an answer, in bytes, unless the options say something else.
    func httpCaller(messages bodyLimit: Int) -> HTTPCaller {
        HTTPCaller(
            trustRoots: trustRoots, pins: certificatePins, certificate: clientCertificate, proxy: proxy,
            bodyLimit: limit(bodyLimit), liveness: socketLiveness, paths: networkPaths)
    }

    /// The time limit of one message.
    private var messageLimit: Duration { policy.messageTime(chosen: messageTimeout) }

    /// How many bytes of a message are kept, where the service sends at most `service`.
    private func limit(_ service: Int) -> Int {
        policy.messageBytes(chosen: messageBytes, service: service)
    }

    private var socketLiveness: SocketLiveness { SocketLiveness(policy.timing) }

    /// Observes the engine for this client; nil without an observer.
    var engineObserver: (any EngineObserver)? { ActivityObserver(preventsAppNap) }
}
