import ClientRuntime
import ConnectionEngine
import EngineRuntime
import HTTPTransport

extension PNConfiguration {
    /// Replaces the service by a test double, which also provides the clock. Clients with this configuration open no sockets.
    package func use(_ double: any ServiceDouble) {
        setDouble(double)
    }
}

/// A reference to a test double, compared by identity, so that configurations can be compared by value.
struct DoubleReference: Hashable, Sendable {
    let double: any ServiceDouble

    static func == (left: Self, right: Self) -> Bool { left.double === right.double }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(double)) }
}

/// A transport whose requests a test double answers.
final class DoubleCalls: CallTransport {
    private let double: any ServiceDouble

    init(_ double: any ServiceDouble) {
        self.double = double
    }

    func send(
        _ exchange: HTTPExchange, to endpoint: HTTPEndpoint,
        completion: @escaping @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation {
        let url = "http://\(endpoint.host)\(exchange.target)"
        let call = HTTPCall(
            method: exchange.method, url: url, headers: exchange.headers.map { HTTPField($0.name, $0.value) },
            body: exchange.body)
        return double.send(call, timeout: exchange.timeout, completion: completion)
    }
}
