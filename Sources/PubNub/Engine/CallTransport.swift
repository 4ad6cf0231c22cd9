import ConnectionEngine
import EngineRuntime
import HTTPTransport
import PubNubProtocol

/// Makes the requests of calls. Tests replace it by a scripted transport.
protocol CallTransport: AnyObject, Sendable {
    /// Makes a request and returns at once. `completion` is called once, on any thread; never after a cancellation.
    func send(
        _ exchange: HTTPExchange, to endpoint: HTTPEndpoint,
        completion: @escaping @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation
}

/// Refuses every request without sending it, because the configuration is wrong.
final class RefusingCalls: CallTransport {
    private let failure: ConnectionFailure

    init(_ failure: ConnectionFailure) {
        self.failure = failure
    }

    func send(
        _ exchange: HTTPExchange, to endpoint: HTTPEndpoint,
        completion: @escaping @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation {
        completion(.failure(failure))
        return {}
    }
}

/// Requests over real sockets. The HTTP client is made for the first of them.
final class LiveCalls: CallTransport {
    /// The HTTP client for the service's own host.
    let caller: HTTPCaller
    /// The HTTP client for hosts that the service names, such as that of files: their keys are not pinned, and they get no client
    /// certificate.
    let elsewhere: HTTPCaller
    private let host: String

    init(_ values: ConfigurationValues) {
        var network = values.network
        host = values.endpoint.host.lowercased()
        let caller = network.httpCaller(messages: PubNubLimits.answerBytes)
        self.caller = caller
        let isPlain = network.pins == nil && network.certificate == nil
        (network.pins, network.certificate) = (nil, nil)
        elsewhere = isPlain ? caller : network.httpCaller(messages: PubNubLimits.answerBytes)
    }

    func send(
        _ exchange: HTTPExchange, to endpoint: HTTPEndpoint,
        completion: @escaping @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation {
        let host = endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host
        let call = HTTPCall(
            method: exchange.method,
            url: "\(endpoint.usesTLS ? "https" : "http")://\(host):\(endpoint.port)\(exchange.target)",
            headers: exchange.headers.map { HTTPField($0.name, $0.value) }, body: exchange.body)
        let caller = endpoint.host.lowercased() == self.host ? caller : elsewhere
        return caller.send(call, timeout: exchange.timeout, completion: completion)
    }
}
