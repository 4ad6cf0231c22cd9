import ConnectionEngine
import EngineRuntime
import HTTPTransport
import PubNubProtocol
import TransportCommon

/// Makes the requests of calls. Tests replace it by a script.
protocol CallTransport: AnyObject, Sendable {
    /// Makes a request and returns at once. `completion` is called once, on any thread; never after a cancellation.
    func send(
        _ exchange: HTTPExchange, to endpoint: HTTPEndpoint,
        completion: @escaping @Sendable (Result<HTTPAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation
}

/// Requests over real sockets. The HTTP client is made for the first of them.
final class LiveCalls: CallTransport {
    private let caller: HTTPCaller

    init(roots: TrustRoots, proxy: HTTPProxy?, bodyLimit: Int, liveness: SocketLiveness) {
        caller = HTTPCaller(trustRoots: roots, proxy: proxy, bodyLimit: bodyLimit, liveness: liveness)
    }

    func send(
        _ exchange: HTTPExchange, to endpoint: HTTPEndpoint,
        completion: @escaping @Sendable (Result<HTTPAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation {
        let host = endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host
        let call = HTTPCall(
            method: exchange.method,
            url: "\(endpoint.usesTLS ? "https" : "http")://\(host):\(endpoint.port)\(exchange.target)",
            headers: exchange.headers.map { HTTPField($0.name, $0.value) }, body: exchange.body)
        return caller.send(call, timeout: exchange.timeout, completion: completion)
    }
}
