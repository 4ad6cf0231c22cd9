import ConnectionEngine
import EngineRuntime
import PusherProtocol
import TransportCommon

/// Functions that make the parts of a connection. Tests replace them by functions that make scripted parts.
struct PusherEngineAssembly: Sendable {
    typealias Driver = ConnectionDriver<PusherSession>

    /// Makes the sender of authorisation requests, from the options and the policy.
    var makeHTTP: @Sendable (PusherClientOptions, ConnectionPolicy) -> any AuthorizationHTTP
    /// Makes the driver of a connection's engine. The arguments are the URL, the options, the policy, the runner of authorisations, the
    /// gate (which passes calls to the library's transport or to the app's socket), and a function that returns whether the log needs the
    /// text of frames.
    var makeDriver:
        @Sendable (
            String, PusherClientOptions, ConnectionPolicy, AuthorizationRunner, SocketGate, @escaping @Sendable () -> Bool
        ) -> Driver
    /// Observes whether this machine has a network route to a host, and reports changes to a driver. Returns nil when the route cannot be
    /// observed.
    var observeNetwork: @Sendable (String, Driver) -> NetworkObservation? = { _, _ in nil }
    /// Observes the system's reports that the application goes to the background and returns, and passes them to a driver. Returns nil when
    /// the system has no such reports. In this case the application has to call the client's functions.
    var observeApplication: @Sendable (Driver) -> Observation? = { _ in nil }
}

extension PusherEngineAssembly {
    /// The most events that wait for slow callbacks. Further events are dropped, and their number is reported (rule PA-8).
    static let backlog = 262_144

    /// The state with which a connection's session starts. An invalid URL needs no handling here, because ``PusherConnection/connect()``
    /// refuses it.
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
        // These events may be dropped: a server can send any number of them, and they change no state that the app can read later.
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
