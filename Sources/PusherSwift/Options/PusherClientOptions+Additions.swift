import ConnectionEngine
import EngineRuntime
import Foundation
import Logging
import TransportCommon

// Settings that PusherSwift 10.1 does not have (rules PA-60 to PA-68).
extension PusherClientOptions {
    /// Headers of the WebSocket upgrade request in addition to those that the handshake requires. Read when a client is created.
    public var headers: [String: String] {
        get { state.withLockedValue { $0.headers } }
        set { state.replace(\.headers, with: newValue) }
    }

    /// Headers of requests to the endpoints that authorise channels and users. They replace the library's own headers of the same name, in
    /// any letter case.
    public var authHeaders: [String: String] {
        get { state.withLockedValue { $0.authHeaders } }
        set { state.replace(\.authHeaders, with: newValue) }
    }

    /// Additional fields of the form in requests to the endpoints that authorise channels and users.
    public var authParams: [String: String] {
        get { state.withLockedValue { $0.authParams } }
        set { state.replace(\.authParams, with: newValue) }
    }

    /// Whether the client closes the connection when the system reports that the application is in the background; true by default.
    ///
    /// Set it to false for an application that may run in the background, such as one that plays audio. Then only
    /// ``Pusher/applicationDidEnterBackground()`` closes the connection. Read when a client is created (rule PA-91).
    public var suspendsInBackground: Bool {
        get { state.withLockedValue { $0.suspendsInBackground } }
        set { state.replace(\.suspendsInBackground, with: newValue) }
    }

    /// How many seconds the connection stays open after the application went to the background; 20 by default, 0 closes it at once, and nil
    /// keeps it open. If the system suspends the process sooner, the connection is closed before that.
    ///
    /// A return within this time needs no new authorisation, causes no `member_removed`, and misses no event. Read when a client is created
    /// (rule PA-93).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var backgroundGrace: TimeInterval? {
        get { state.withLockedValue { $0.backgroundGrace } }
        set { state.replace(\.backgroundGrace, with: newValue) }
    }

    /// How soon a dead connection is detected. Earlier detection costs traffic on an idle connection. By default `balanced`, which is 25 s.
    ///
    /// An activity timeout or a pong timeout that the app sets has precedence. Read when a client is created (rule PA-95).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var liveness: Liveness {
        get { state.withLockedValue { $0.liveness } }
        set { state.replace(\.liveness, with: newValue) }
    }

    /// Which of the device's network paths the connection and requests to endpoints may use; all by default. While only excluded paths are
    /// available, attempts fail with the category `networkUnavailable`.
    ///
    /// The setting applies on Apple platforms and to the library's own HTTP client; it has no effect on Linux. Read when a client is
    /// created (rules PA-96 and SO-108).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var networkPaths: NetworkPaths {
        get { state.withLockedValue { $0.networkPaths } }
        set { state.replace(\.networkPaths, with: newValue) }
    }

    /// Whether the client prevents App Nap of macOS while it is connected or connecting; false by default, because it costs battery. It has
    /// no effect on other systems. Read when a client is created (rules PA-97 and BG-12).
    public var preventsAppNap: Bool {
        get { state.withLockedValue { $0.preventsAppNap } }
        set { state.replace(\.preventsAppNap, with: newValue) }
    }

    /// Called on the callback queue before every request to an endpoint. The closure returns headers that change, such as a token. These
    /// headers have precedence over ``authHeaders``.
    public var authHeadersProvider: (() -> [String: String])? {
        get { state.withLockedValue { $0.authHeadersProvider } }
        set { state.replace(\.authHeadersProvider, with: newValue) }
    }

    /// Called on the callback queue before every request to an endpoint. The closure returns fields of the form. These fields have
    /// precedence over ``authParams``.
    public var authParamsProvider: (() -> [String: String])? {
        get { state.withLockedValue { $0.authParamsProvider } }
        set { state.replace(\.authParamsProvider, with: newValue) }
    }

    /// How users who sign in are authenticated. A change applies to the next sign-in.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var userAuthentication: UserAuthMethod {
        get { state.withLockedValue { $0.userAuthentication } }
        set { state.replace(\.userAuthentication, with: newValue) }
    }

    /// The endpoint of ``userAuthentication``; nil when another method is set.
    public var userAuthEndpoint: String? {
        get { if case .endpoint(let endpoint) = userAuthentication { endpoint } else { nil } }
        set { userAuthentication = newValue.map { .endpoint(authEndpoint: $0) } ?? .noMethod }
    }

    /// The authenticator of ``userAuthentication``; nil when another method is set.
    public var userAuthenticator: UserAuthenticator? {
        get { if case .authenticator(let authenticator) = userAuthentication { authenticator } else { nil } }
        set { userAuthentication = newValue.map { .authenticator(authenticator: $0) } ?? .noMethod }
    }

    /// Pins of public keys: the server's certificate chain has to contain one of these keys, in addition to being trusted. A pin is the
    /// SHA-256 of a public key (SPKI) in base64, with or without the prefix `sha256/`. With the empty array, the default, any key is
    /// accepted.
    ///
    /// The pins apply to the connection and to requests of the library's own HTTP client to endpoints. If a text is not a pin, the
    /// delegate's `receivedError` reports it and no connection is made.
    public var certificatePins: [String] {
        get { state.withLockedValue { $0.certificatePins } }
        set { state.replace(\.certificatePins, with: newValue) }
    }

    /// The certificate that the client presents when the server requests one, or when an endpoint requests one from the library's own HTTP
    /// client. Nil, the default, for no certificate. Read when a client is created (rules PA-86 and WT-50).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var clientCertificate: ClientCertificate? {
        get { state.withLockedValue { $0.clientCertificate } }
        set { state.replace(\.clientCertificate, with: newValue) }
    }

    /// A proxy for the connection and for requests to endpoints; nil, the default, for no proxy. If the proxy refuses the connection, the
    /// status has the category `proxyUnavailable`.
    public var proxy: PusherProxy? {
        get { state.withLockedValue { $0.proxy } }
        set { state.replace(\.proxy, with: newValue) }
    }

    /// The time limit in seconds for the authorisation of a channel, and the same limit again for the server's confirmation of the
    /// subscription. Applies to channels without a limit of their own. Nil, the default, is 10 s (2 s with the fast timing). Clamped to 0.1
    /// ... 300.
    public var subscribeTimeout: TimeInterval? {
        get { state.withLockedValue { $0.subscribeTimeout } }
        set { state.replace(\.subscribeTimeout, with: newValue) }
    }

    /// The time limit of one message from its first byte to its last, in seconds. When it is exceeded, the client reconnects. Nil, the
    /// default, is 30 s (5 s with the fast timing). Clamped to 0.1 ... 3600. Read when a client is created.
    public var messageTimeout: TimeInterval? {
        get { state.withLockedValue { $0.messageTimeout } }
        set { state.replace(\.messageTimeout, with: newValue) }
    }

    /// The largest message in bytes. A longer message closes the connection with code 1009, and the client reconnects. Nil, the default, is
    /// 32 MiB (4 MiB with the fast timing). Clamped to 1 KiB ... 1 GiB. Read when a client is created.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var maximumMessageSize: Int? {
        get { state.withLockedValue { $0.maximumMessageSize } }
        set { state.replace(\.maximumMessageSize, with: newValue) }
    }

    /// When the client tries again after a failure; nil, the default, for the library's own pauses.
    ///
    /// If ``PusherConnection/reconnectAttemptsMax`` or ``PusherConnection/maxReconnectGapInSeconds`` is set, it replaces the policy's limit
    /// or longest pause. After close codes 4000–4099 the client never tries again. Read when a client is created (rules PA-84 and RT-31).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var retryPolicy: RetryPolicy? {
        get { state.withLockedValue { $0.retryPolicy } }
        set { state.replace(\.retryPolicy, with: newValue) }
    }

    /// The logger for events of the connection and of subscriptions; nil, the default, for no log. The delegate's `debugLog` does not
    /// depend on it. Read when a client is created (rules PA-85 and OB-1).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var logger: Logger? {
        get { state.withLockedValue { $0.logger } }
        set { state.replace(\.logger, with: newValue) }
    }

    /// The metrics that count and time the client's events; nil, the default, for no metrics. Read when a client is created (rules PA-85
    /// and OB-3).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var metrics: ClientMetrics? {
        get { state.withLockedValue { $0.metrics } }
        set { state.replace(\.metrics, with: newValue) }
    }

    /// Whether the client asks its server to send the events that it missed while it had no connection; true by default.
    ///
    /// Lifeline's own server sends events of the last two minutes, up to 100 of a channel; other servers ignore the request. Read when a
    /// client is created (rules PA-92 and RV-30).
    public var recoversMissedEvents: Bool {
        get { state.withLockedValue { $0.recoversMissedEvents } }
        set { state.replace(\.recoversMissedEvents, with: newValue) }
    }

    /// A sentence about the setting that prevents connecting; nil if all settings are valid. Only an invalid pin prevents connecting.
    var problem: String? {
        guard !certificatePins.isEmpty else { return nil }
        do throws(CertificatePins.Malformed) {
            _ = try CertificatePins(certificatePins)
            return nil
        } catch {
            return error.description
        }
    }
}
