import ClientRuntime
import ConnectionEngine
import EngineRuntime
import HTTPTransport
import NIOConcurrencyHelpers
import PusherProtocol
import TransportCommon
import WebSocketTransport

extension PusherClientOptions {
    /// Connects clients with these options to a test double of the service, which also provides the clock. They open no sockets.
    package func use(_ double: any ServiceDouble) {
        engine = .on(.doubled(double))
    }
}

extension PusherEngineAssembly {
    static let live = on(.live)

    fileprivate static func on(_ parts: ClientParts) -> PusherEngineAssembly {
        PusherEngineAssembly(
            makeHTTP: { options, policy in
                let makeCaller = caller(options, policy)
                return EndpointHTTP { parts.http(makeCaller($0)) }
            },
            makeDriver: { url, options, policy, runner, gate, wantsFrames in
                let transport: any ClientTransport<PusherSession> = parts.webSocket(configuration(options, policy)) {
                    PusherFrameDecoder(keepsText: wantsFrames)
                }
                parts.track(.queue(options.callbackQueue))
                return parts.driver(
                    gate.around(transport, wantsFrames: wantsFrames), jobs: runner, policy: policy,
                    memory: memory(url: url, options: options), backlog: backlog, isDroppable: isDroppable,
                    preventsAppNap: options.preventsAppNap)
            },
            observeNetwork: { host, driver in
                parts.observeNetwork(of: host) { [weak driver] in driver?.networkChanged(to: $0) }
            },
            observeApplication: { driver in parts.application?.observe { [weak driver] in driver?.moved(to: $0) } })
    }

    /// The longest message in bytes: twice the longest event data that a self-hosted server can be configured to allow, because escaping
    /// may double the length of the data. PusherSwift has no limit; this limit bounds the memory that a server can make an app use (rule
    /// PA-53).
    static let longestMessage = 1 << 25

    /// The transport configuration of a connection, including the longest message (rules PA-53 and PA-82).
    static func configuration(_ options: PusherClientOptions, _ policy: ConnectionPolicy) -> WebSocketTransportConfiguration {
        network(options, policy).webSocket(messageBytes: longestMessage)
    }

    /// Returns a function that makes the HTTP client for authorisation requests. The function's argument is the longest body of an answer,
    /// in bytes. The client gets the connection's network settings at the time of this call; later changes of the options have no effect on
    /// it.
    static func caller(_ options: PusherClientOptions, _ policy: ConnectionPolicy) -> @Sendable (Int) -> HTTPCaller {
        let network = network(options, policy)
        return { network.httpCaller(bodyLimit: $0) }
    }

    private static func network(_ options: PusherClientOptions, _ policy: ConnectionPolicy) -> NetworkSettings {
        // Invalid pins need no handling here, because ``PusherConnection/connect()`` reports them and makes no connection.
        let pins = options.certificatePins.isEmpty ? nil : try? CertificatePins(options.certificatePins)
        return NetworkSettings(
            policy: policy, authorityFile: options.certificateAuthorityFile, pins: pins, certificate: options.clientCertificate,
            proxy: options.proxy.map { HTTPProxy(host: $0.host, port: $0.port, user: $0.user, password: $0.password) },
            paths: options.networkPaths, messageTimeout: options.messageTimeout.map { .clamped(seconds: $0) },
            messageBytes: options.maximumMessageSize)
    }
}

/// Sends authorisation requests with the library's own HTTP client or a test double. The client is created with the first request.
final class EndpointHTTP: AuthorizationHTTP {
    private let makeCaller: @Sendable (Int) -> any HTTPStarting
    private let caller = NIOLockedValueBox<(any HTTPStarting)?>(nil)

    /// Creates a sender of authorisation requests.
    ///
    /// - Parameter makeCaller: makes the HTTP client; its argument is the longest body of an answer, in bytes.
    init(_ makeCaller: @escaping @Sendable (Int) -> any HTTPStarting) {
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
