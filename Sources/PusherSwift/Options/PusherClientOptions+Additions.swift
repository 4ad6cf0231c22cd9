import ConnectionEngine
import EngineRuntime
import Foundation
import Logging
import TransportCommon

// Settings that PusherSwift 10.1 does not have. Rules PA-60 to PA-68.
extension PusherClientOptions {
    /// Headers of the WebSocket upgrade request, in addition to those of the handshake itself. Read when a client is made.
    public var headers: [String: String] {
        get { state.withLockedValue { $0.headers } }
        set { state.replace(\.headers, with: newValue) }
    }

    /// Headers for the endpoints that authorise channels and users. They replace headers of the library with the same name, in any
    /// letter case.
    public var authHeaders: [String: String] {
        get { state.withLockedValue { $0.authHeaders } }
        set { state.replace(\.authHeaders, with: newValue) }
    }

    /// Additional fields of the form that the endpoints get.
    public var authParams: [String: String] {
        get { state.withLockedValue { $0.authParams } }
        set { state.replace(\.authParams, with: newValue) }
    }

    /// Whether the client closes the connection when the system reports that the application is in the background; true unless set. Set
    /// it to false for an application that the system lets run there, such as one that plays audio; then only
    /// ``Pusher/applicationDidEnterBackground()`` closes it. Read when a client is made (rule PA-91).
    public var suspendsInBackground: Bool {
        get { state.withLockedValue { $0.suspendsInBackground } }
        set { state.replace(\.suspendsInBackground, with: newValue) }
    }

    /// For how many seconds the connection is kept after the application went to the background; 20 unless set. A return within this
    /// time costs nothing: no authorisation, no `member_removed`, no missed event. Zero closes the connection at once, nil never; if
    /// the system suspends the process sooner, the connection is closed before that. Read when a client is made (rule PA-93).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var backgroundGrace: TimeInterval? {
        get { state.withLockedValue { $0.backgroundGrace } }
        set { state.replace(\.backgroundGrace, with: newValue) }
    }

    /// How soon a dead connection is detected, which costs traffic on an idle connection; balanced unless set, which is 25 s. An
    /// activity timeout or a pong timeout that the app sets has precedence. Read when a client is made (rule PA-95).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var liveness: Liveness {
        get { state.withLockedValue { $0.liveness } }
        set { state.replace(\.liveness, with: newValue) }
    }

    /// Which of the device's network paths the connection and requests to endpoints may use; all unless set. While only excluded paths
    /// are available, attempts fail with the category `networkUnavailable`. On Apple platforms only, and for the library's own client:
    /// on Linux it has no effect. Read when a client is made (rules PA-96 and SO-108).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var networkPaths: NetworkPaths {
        get { state.withLockedValue { $0.networkPaths } }
        set { state.replace(\.networkPaths, with: newValue) }
    }

    /// Whether the client prevents App Nap of macOS while it is connected or connecting; false unless set, because it costs battery. No
    /// effect on other systems. Read when a client is made (rules PA-97 and BG-12).
    public var preventsAppNap: Bool {
        get { state.withLockedValue { $0.preventsAppNap } }
        set { state.replace(\.preventsAppNap, with: newValue) }
    }

    /// Called on the callback queue before every request to an endpoint, for headers that change, such as a token; they have precedence
    /// over ``authHeaders``.
    public var authHeadersProvider: (() -> [String: String])? {
        get { state.withLockedValue { $0.authHeadersProvider } }
        set { state.replace(\.authHeadersProvider, with: newValue) }
    }

    /// Called like ``authHeadersProvider``, for fields of the form.
    public var authParamsProvider: (() -> [String: String])? {
        get { state.withLockedValue { $0.authParamsProvider } }
        set { state.replace(\.authParamsProvider, with: newValue) }
    }

    /// How users who sign in are authenticated. A change applies from the next sign-in on.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var userAuthentication: UserAuthMethod {
        get { state.withLockedValue { $0.userAuthentication } }
        set { state.replace(\.userAuthentication, with: newValue) }
    }

    /// The endpoint of ``userAuthentication``, or nil when that is another method.
    public var userAuthEndpoint: String? {
        get { if case .endpoint(let endpoint) = userAuthentication { endpoint } else { nil } }
        set { userAuthentication = newValue.map { .endpoint(authEndpoint: $0) } ?? .noMethod }
    }

    /// The object of ``userAuthentication``, or nil when that is another method.
    public var userAuthenticator: UserAuthenticator? {
        get { if case .authenticator(let authenticator) = userAuthentication { authenticator } else { nil } }
        set { userAuthentication = newValue.map { .authenticator(authenticator: $0) } ?? .noMethod }
    }

    /// Pins of public keys of which the server's certificate chain has to contain one, in addition to being trusted: SHA-256 of the
    /// public key (SPKI) in base64, with or without the prefix `sha256/`. Empty, the default, for any. They apply to the connection and
    /// to endpoints of the library's own client.
    ///
    /// A text that is not a pin is reported by `receivedError`, and no connection is made.
    public var certificatePins: [String] {
        get { state.withLockedValue { $0.certificatePins } }
        set { state.replace(\.certificatePins, with: newValue) }
    }

    /// The certificate that the client presents when the server, or an endpoint of the library's own client, requests one; nil, the
    /// default, for none. Read when a client is made (rules PA-86 and WT-50).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var clientCertificate: ClientCertificate? {
        get { state.withLockedValue { $0.clientCertificate } }
        set { state.replace(\.clientCertificate, with: newValue) }
    }

    /// A proxy for the connection and for requests to endpoints; nil, the default, for none. When the proxy refuses, the status has the
    /// category `proxyUnavailable`.
    public var proxy: PusherProxy? {
        get { state.withLockedValue { $0.proxy } }
        set { state.replace(\.proxy, with: newValue) }
    }

    /// The time limit in seconds for an authorisation, and again for a confirmation, of channels without their own limit; nil, the
    /// default, for 10 s (2 s with the fast timing). Clamped to 0.1 ... 300.
    public var subscribeTimeout: TimeInterval? {
        get { state.withLockedValue { $0.subscribeTimeout } }
        set { state.replace(\.subscribeTimeout, with: newValue) }
    }

    /// The time limit in seconds for one message from its first byte to its last; after that the client reconnects. Nil, the default,
    /// for 30 s (5 s with the fast timing). Clamped to 0.1 ... 3600. Read when a client is made.
    public var messageTimeout: TimeInterval? {
        get { state.withLockedValue { $0.messageTimeout } }
        set { state.replace(\.messageTimeout, with: newValue) }
    }

    /// The largest message in bytes; a longer one closes the connection with 1009, and the client reconnects. Nil, the default, for 32
    /// MiB (4 MiB with the fast timing). Clamped to 1 KiB ... 1 GiB. Read when a client is made.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var maximumMessageSize: Int? {
        get { state.withLockedValue { $0.maximumMessageSize } }
        set { state.replace(\.maximumMessageSize, with: newValue) }
    }

    /// When to try again after a failure; nil, the default, for the library's own pauses. ``PusherConnection/reconnectAttemptsMax`` and
    /// ``PusherConnection/maxReconnectGapInSeconds`` replace its limit and its longest pause once they are set, and close codes
    /// 4000–4099 are always final. Read when a client is made (rules PA-84 and RT-31).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var retryPolicy: RetryPolicy? {
        get { state.withLockedValue { $0.retryPolicy } }
        set { state.replace(\.retryPolicy, with: newValue) }
    }

    /// The logger for events of the connection and of subscriptions; nil, the default, for none. `debugLog` of the delegate is
    /// independent of it. Read when a client is made (rules PA-85 and OB-1).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var logger: Logger? {
        get { state.withLockedValue { $0.logger } }
        set { state.replace(\.logger, with: newValue) }
    }

    /// The metrics in which the client counts and times its work; nil, the default, for none. Read when a client is made (rules PA-85
    /// and OB-3).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var metrics: ClientMetrics? {
        get { state.withLockedValue { $0.metrics } }
        set { state.replace(\.metrics, with: newValue) }
    }

    /// Whether the client asks its server to replay the events that it misses while it has no connection; true by default. Lifeline's
    /// own server replays events of the last two minutes, up to 100 of a channel; other servers ignore the request. Read when a client
    /// is made (rules PA-92 and RV-30).
    public var recoversMissedEvents: Bool {
        get { state.withLockedValue { $0.recoversMissedEvents } }
        set { state.replace(\.recoversMissedEvents, with: newValue) }
    }

    /// The problem of the settings, as a sentence; nil for none.
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
