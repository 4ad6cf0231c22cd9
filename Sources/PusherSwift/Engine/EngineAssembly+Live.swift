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
        makeHTTP: { LiveHTTP(roots: roots(of: $0), pins: pins(of: $0), certificate: $0.clientCertificate, proxy: proxy(of: $0)) },
        makeDriver: { url, options, policy, runner, gate, wantsFrames in
            let transport = WebSocketTransport<PusherSession>(
                decoder: { PusherFrameDecoder(keepsText: wantsFrames) },
                configuration: configuration(options, policy))
            return ConnectionDriver(
                transport: gate.around(transport, wantsFrames: wantsFrames), jobs: runner,
                timers: EventLoopTimers(MultiThreadedEventLoopGroup.singleton.next()), policy: policy,
                memory: memory(url: url, options: options), backlog: backlog, isDroppable: isDroppable)
        },
        observeNetwork: { host, driver in
            NetworkMonitor.shared.observe(forHost: host) { [weak driver] in driver?.networkChanged(to: $0) }
        },
        observeApplication: { driver in ApplicationMonitor.shared.observe { [weak driver] in driver?.moved(to: $0) } })

    /// How the connection is made, and how much of a message it takes (rules PA-53 and PA-82).
    static func configuration(_ options: PusherClientOptions, _ policy: ConnectionPolicy) -> WebSocketTransportConfiguration {
        var configuration = WebSocketTransportConfiguration.pusher(
            trustRoots: roots(of: options), pins: pins(of: options), proxy: proxy(of: options))
        configuration.certificate = options.clientCertificate
        configuration.messageTimeout = policy.messageTime(chosen: options.messageTimeout.map { .clamped(seconds: $0) })
        configuration.limitMessages(
            to: policy.messageBytes(chosen: options.maximumMessageSize, service: configuration.limits.messageBytes))
        configuration.liveness = SocketLiveness(policy.timing)
        return configuration
    }

    private static func roots(of options: PusherClientOptions) -> TrustRoots {
        options.certificateAuthorityFile.map { .file($0) } ?? .system
    }

    /// Pins that are none are refused before anything is dialled, see ``PusherConnection/connect()``.
    private static func pins(of options: PusherClientOptions) -> CertificatePins? {
        options.certificatePins.isEmpty ? nil : try? CertificatePins(options.certificatePins)
    }

    private static func proxy(of options: PusherClientOptions) -> HTTPProxy? {
        options.proxy.map { proxy in
            HTTPProxy(
                host: proxy.host, port: proxy.port,
                credentials: proxy.user.map { HTTPProxy.Credentials(user: $0, password: proxy.password ?? "") })
        }
    }
}

extension WebSocketTransportConfiguration {
    /// The longest message, in bytes: twice the longest data that self-hosted servers can be set to, since as a string they may grow to
    /// that. Upstream has no limit; there is one here so that a server cannot make an app hold whatever it likes (rule PA-53).
    private static let longestMessage = 1 << 25

    /// With the limits of Pusher's clients.
    static func pusher(
        trustRoots: TrustRoots = .system, pins: CertificatePins? = nil, proxy: HTTPProxy? = nil
    ) -> WebSocketTransportConfiguration {
        var configuration = WebSocketTransportConfiguration(trustRoots: trustRoots, pins: pins, proxy: proxy)
        configuration.limitMessages(to: longestMessage)
        return configuration
    }
}

/// Sends authorisation requests with the library's own HTTP client, which is made for the first of them.
final class LiveHTTP: AuthorizationHTTP {
    private let roots: TrustRoots
    private let pins: CertificatePins?
    private let certificate: ClientCertificate?
    private let proxy: HTTPProxy?
    private let caller = NIOLockedValueBox<HTTPCaller?>(nil)

    init(
        roots: TrustRoots, pins: CertificatePins? = nil, certificate: ClientCertificate? = nil, proxy: HTTPProxy? = nil
    ) {
        self.certificate = certificate
        self.roots = roots
        self.pins = pins
        self.proxy = proxy
    }

    func send(
        _ request: AuthorizationRequest, within limit: Duration, maximumBody: Int,
        completion: @escaping @Sendable (Result<AuthorizationResponse, ConnectionFailure>) -> Void
    ) -> @Sendable () -> Void {
        let caller = self.caller.withLockedValue { caller in
            let present =
                caller
                ?? HTTPCaller(
                    trustRoots: roots, pins: pins, certificate: certificate, proxy: proxy, bodyLimit: maximumBody)
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
