import ConnectionEngine
import EngineRuntime
import HTTPTransport
import NIOConcurrencyHelpers
import NIOPosix
import PusherProtocol
import TransportCommon
import WebSocketTransport

extension EngineAssembly {
    /// Real sockets, on the event loops that all clients of the process share.
    static let live = EngineAssembly(
        makeHTTP: { LiveHTTP(roots: roots(of: $0)) },
        makeDriver: { url, options, policy, runner, wantsFrames in
            let transport = WebSocketTransport<PusherSession>(
                decoder: { PusherFrameDecoder(keepsText: wantsFrames) },
                configuration: WebSocketTransportConfiguration(trustRoots: roots(of: options)))
            return ConnectionDriver(
                transport: transport, jobs: runner, timers: EventLoopTimers(MultiThreadedEventLoopGroup.singleton.next()),
                policy: policy, memory: memory(url: url, options: options), backlog: backlog, isDroppable: isDroppable)
        },
        observeNetwork: { host, driver in
            NetworkMonitor.shared.observe(forHost: host) { [weak driver] in driver?.submit(.networkChanged($0)) }
        })

    private static func roots(of options: PusherClientOptions) -> TrustRoots {
        options.certificateAuthorityFile.map { .file($0) } ?? .system
    }
}

/// Sends authorisation requests with the library's own HTTP client, which is made for the first of them.
final class LiveHTTP: AuthorizationHTTP {
    private let roots: TrustRoots
    private let caller = NIOLockedValueBox<HTTPCaller?>(nil)

    init(roots: TrustRoots) {
        self.roots = roots
    }

    func send(
        _ request: AuthorizationRequest, within limit: Duration, maximumBody: Int,
        completion: @escaping @Sendable (Result<AuthorizationResponse, ConnectionFailure>) -> Void
    ) -> @Sendable () -> Void {
        let caller = self.caller.withLockedValue { caller in
            let present = caller ?? HTTPCaller(trustRoots: roots, bodyLimit: maximumBody)
            caller = present
            return present
        }
        let call = HTTPCall(
            method: request.method, url: request.url.absoluteString,
            headers: request.headers.map { HTTPField($0.name, $0.value) }, body: request.body)
        return caller.send(call, timeout: limit) { result in
            completion(
                result.map { answer in
                    AuthorizationResponse(
                        status: answer.status, headers: answer.headers.map { .init(name: $0.name, value: $0.value) },
                        body: answer.body)
                })
        }
    }
}
