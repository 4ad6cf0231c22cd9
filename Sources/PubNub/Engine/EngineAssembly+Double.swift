import ConnectionEngine
import EngineRuntime
import HTTPTransport
import PubNubProtocol
import TransportCommon

extension PNConfiguration {
    /// Clients of this configuration open no sockets: a double stands in for the service, and their time is the double's.
    package func use(_ double: any ServiceDouble) {
        setDouble(double)
    }
}

/// A double as a part of a configuration, which is compared by value.
struct DoubleReference: Hashable, Sendable {
    let double: any ServiceDouble

    static func == (left: Self, right: Self) -> Bool { left.double === right.double }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(double)) }
}

extension EngineAssembly {
    /// Real sockets, unless the configuration names a double.
    static func chosen(by values: ConfigurationValues) -> EngineAssembly {
        values.double.map { on($0.double) } ?? .live
    }

    private static func on(_ double: any ServiceDouble) -> EngineAssembly {
        EngineAssembly(
            makeCalls: { _ in DoubleCalls(double) },
            makeEngine: { values, settings in
                LiveSubscription(
                    settings,
                    makeDriver: { settings in
                        let driver = driver(
                            values, settings, double.longPoll { PubNubAnswerDecoder() } as any ClientTransport<PubNubSession>,
                            double.timers, seed: double.nextSeed())
                        double.track(driver)
                        return driver
                    },
                    observeNetwork: { _, report in NetworkObservation(double.observeNetwork(report)) })
            })
    }
}

/// Requests of calls that a double answers.
private final class DoubleCalls: CallTransport {
    private let double: any ServiceDouble

    init(_ double: any ServiceDouble) {
        self.double = double
    }

    func send(
        _ exchange: HTTPExchange, to endpoint: HTTPEndpoint,
        completion: @escaping @Sendable (Result<HTTPAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation {
        let url = "http://\(endpoint.host)\(exchange.target)"
        let request = DoubleRequest(
            method: exchange.method, url: url, headers: exchange.headers.map { ($0.name, $0.value) }, body: exchange.body,
            timeout: exchange.timeout)
        return double.send(request) { result in
            completion(
                result.map { answer in
                    HTTPAnswer(
                        status: answer.status, headers: answer.headers.map { HTTPField($0.name, $0.value) },
                        body: answer.body, url: url)
                })
        }
    }
}
