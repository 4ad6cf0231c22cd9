import ConnectionEngine
import EngineRuntime
import PusherProtocol
import TransportCommon

/// Makes the parts of a connection: for production, or scripted ones in tests.
struct PusherEngineAssembly: Sendable {
    typealias Driver = ConnectionDriver<PusherSession>

    /// Makes the sender of authorisation requests, from the options and the policy.
    var makeHTTP: @Sendable (PusherClientOptions, ConnectionPolicy) -> any AuthorizationHTTP
    /// Makes a driver from the URL, the options, the policy, the authoriser, the gate in front of the transport, and whether the text
    /// of frames is needed.
    var makeDriver:
        @Sendable (
            String, PusherClientOptions, ConnectionPolicy, AuthorizationRunner, SocketGate, @escaping @Sendable () -> Bool
        ) -> Driver
    /// Observes the network for a driver that connects to a host; nil when it cannot be observed.
    var observeNetwork: @Sendable (String, Driver) -> NetworkObservation? = { _, _ in nil }
    /// Observes the system's reports that the application goes to the background and comes back; nil when only the application reports
    /// it.
    var observeApplication: @Sendable (Driver) -> Observation? = { _ in nil }
}

extension PusherEngineAssembly {
    /// How many events may wait for slow callbacks before further ones are dropped and reported. Rule PA-8.
    static let backlog = 262_144

    /// The state that survives reconnects. An invalid URL is never connected to, see ``PusherConnection/connect()``.
    static func memory(url: String, options: PusherClientOptions) -> PusherMemory {
        var endpoint =
            PusherAddress.endpoint(url: url)
            ?? WebSocketEndpoint(host: options.host, port: options.port, usesTLS: options.useTLS)
        endpoint.headers += options.headers.sorted { $0.key < $1.key }.map { WebSocketEndpoint.Header($0.key, $0.value) }
        var memory = PusherMemory(endpoint: endpoint)
        if options.recoversMissedEvents { memory.askForRecovery() }
        return memory
    }

    static func isDroppable(_ event: PusherSessionEvent) -> Bool {
        switch event {
        // Whatever a server may send in any number, and what changes nothing that the app can ask for later.
        case .message, .frame, .subscriptionCount, .cacheMissed, .watchlist, .serverError, .decryptionFailed, .malformed, .pinged,
            .ponged:
            true
        case .established, .subscribed, .subscriptionFailed, .unsubscribed, .memberAdded, .memberRemoved, .signedIn,
            .signInFailed,
            .gap:
            false
        }
    }
}
