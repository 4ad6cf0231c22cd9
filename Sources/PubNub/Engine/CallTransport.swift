import ConnectionEngine
import EngineRuntime
import HTTPTransport
import PubNubProtocol

/// Sends the HTTP requests of calls. Tests replace it by a scripted transport.
protocol CallTransport: AnyObject, Sendable {
    /// Sends a request and returns at once. `completion` is called once, on any thread, and never after a cancellation.
    func send(
        _ exchange: HTTPExchange, to endpoint: HTTPEndpoint,
        completion: @escaping @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation
}

/// A transport that refuses every request without sending it, because the client's configuration has an error.
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

/// A transport that sends requests over real sockets. It makes its HTTP client for the first request.
final class LiveCalls: CallTransport {
    /// The HTTP client for requests to the configured host.
    let caller: HTTPCaller
    /// The HTTP client for hosts that the service's answers name, such as the host of stored files. Connections to these hosts use no key
    /// pins and no client certificate.
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
