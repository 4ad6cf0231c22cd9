import ConnectionEngine
import EngineRuntime
import Foundation
import PusherProtocol
import TransportCommon

extension PusherClientOptions {
    /// Clients with these options open no sockets: a double stands in for the service, and their time is the double's.
    package func use(_ double: any ServiceDouble) {
        engine = .on(double)
    }
}

extension EngineAssembly {
    fileprivate static func on(_ double: any ServiceDouble) -> EngineAssembly {
        EngineAssembly(
            makeHTTP: { _, _ in DoubleHTTP(double) },
            makeDriver: { url, options, policy, runner, gate, wantsFrames in
                let transport: any ClientTransport<PusherSession> = double.webSocket {
                    PusherFrameDecoder(keepsText: wantsFrames)
                }
                let driver = ConnectionDriver(
                    transport: gate.around(transport, wantsFrames: wantsFrames), jobs: runner, timers: double.timers,
                    policy: policy, memory: memory(url: url, options: options), seed: double.nextSeed(), backlog: backlog,
                    isDroppable: isDroppable)
                double.track(driver)
                double.track(.queue(options.callbackQueue))
                return driver
            },
            observeNetwork: { _, driver in
                NetworkObservation(double.observeNetwork { [weak driver] in driver?.networkChanged(to: $0) })
            })
    }
}

/// Authorisation requests that a double answers.
private final class DoubleHTTP: AuthorizationHTTP {
    private let double: any ServiceDouble

    init(_ double: any ServiceDouble) {
        self.double = double
    }

    func send(
        _ request: AuthorizationRequest, within limit: Duration, maximumBody: Int,
        completion: @escaping @Sendable (Result<AuthorizationResponse, ConnectionFailure>) -> Void
    ) -> @Sendable () -> Void {
        let call = DoubleRequest(
            method: request.method, url: request.url.absoluteString, headers: request.headers.map { ($0.name, $0.value) },
            body: request.body, timeout: limit)
        return double.send(call) { result in
            completion(
                result.map { answer in
                    AuthorizationResponse(
                        status: answer.status, headers: answer.headers.map { .init(name: $0.name, value: $0.value) },
                        body: answer.body)
                })
        }
    }
}
