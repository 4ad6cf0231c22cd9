import EngineRuntime
import HTTPTransport
import TransportCommon
import WebSocketTransport

// What the options say about the network, for each kind of transport. The only place that knows how they are named there.
extension ClientOptions {
    private var trustRoots: TrustRoots { certificateAuthorityFile.map { TrustRoots.file($0) } ?? .system }

    var webSocket: WebSocketTransportConfiguration {
        let timing = timing.policy.timing
        return WebSocketTransportConfiguration(
            trustRoots: trustRoots, pins: certificatePins, proxy: proxy, connectTimeout: timing.open, closeTimeout: timing.close)
    }

    var longPoll: LongPollTransportConfiguration {
        let timing = timing.policy.timing
        return LongPollTransportConfiguration(
            trustRoots: trustRoots, pins: certificatePins, proxy: proxy, connectTimeout: timing.open, closeTimeout: timing.close)
    }

    /// - Parameter bodyLimit: the largest body of an answer, in bytes.
    func httpCaller(bodyLimit: Int = 1 << 16) -> HTTPCaller {
        HTTPCaller(trustRoots: trustRoots, pins: certificatePins, proxy: proxy, bodyLimit: bodyLimit)
    }
}
