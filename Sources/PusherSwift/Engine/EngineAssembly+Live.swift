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
        makeHTTP: { LiveHTTP(caller($0, $1)) },
        makeDriver: { url, options, policy, runner, gate, wantsFrames in
            let transport = WebSocketTransport<PusherSession>(
                decoder: { PusherFrameDecoder(keepsText: wantsFrames) },
                configuration: configuration(options, policy))
            return ConnectionDriver(
                transport: gate.around(transport, wantsFrames: wantsFrames), jobs: runner,
                timers: EventLoopTimers(MultiThreadedEventLoopGroup.singleton.next()), policy: policy,
                memory: memory(url: url, options: options), backlog: backlog, isDroppable: isDroppable,
                observer: ActivityObserver(options.preventsAppNap))
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
        configuration.paths = options.networkPaths
        return configuration
    }

    /// Makes the client for requests to endpoints. It connects as the connection does; the argument is the greatest length of an
    /// answer's body, in bytes. Later changes of the options have no effect.
    static func caller(_ options: PusherClientOptions, _ policy: ConnectionPolicy) -> @Sendable (Int) -> HTTPCaller {
        let connection = configuration(options, policy)
        return { bodyLimit in
            HTTPCaller(
                trustRoots: connection.trustRoots, pins: connection.pins, certificate: connection.certificate,
                proxy: connection.proxy, bodyLimit: bodyLimit, liveness: connection.liveness, paths: connection.paths)
        }
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
    private let makeCaller: @Sendable (Int) -> HTTPCaller
    private let caller = NIOLockedValueBox<HTTPCaller?>(nil)

    /// - Parameter makeCaller: from the largest body of an answer, in bytes.
    init(_ makeCaller: @escaping @Sendable (Int) -> HTTPCaller) {
        self.makeCaller = makeCaller
    }

    func send(
        _ request: AuthorizationRequest, within limit: Duration, maximumBody: Int,
        completion: @escaping @Sendable (Result<AuthorizationResponse, ConnectionFailure>) -> Void
    ) -> @Sendable () -> Void {
        let caller = self.caller.withLockedValue { caller in
            let present = caller ?? makeCaller(maximumBody)
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
