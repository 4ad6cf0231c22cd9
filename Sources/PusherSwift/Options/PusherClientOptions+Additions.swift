import ConnectionEngine
import EngineRuntime
import Foundation
import Logging
import TransportCommon

// Settings that PusherSwift 10.1 does not have. Rules PA-60 to PA-68.
extension PusherClientOptions {
    /// Headers to send with the request that opens the connection, beside those of the handshake itself. Read when a client is made.
    public var headers: [String: String] {
        get { state.withLockedValue { $0.headers } }
        set { state.withLockedValue { $0.headers = newValue } }
    }

    /// Headers for the endpoints that authorise channels and users. A name that the library sets as well, in whatever case, is yours.
    public var authHeaders: [String: String] {
        get { state.withLockedValue { $0.authHeaders } }
        set { state.withLockedValue { $0.authHeaders = newValue } }
    }

    /// Further fields of the form that the endpoints get.
    public var authParams: [String: String] {
        get { state.withLockedValue { $0.authParams } }
        set { state.withLockedValue { $0.authParams = newValue } }
    }

    /// Whether the system's notifications close the connection while the application is in the background; true unless set. Turn it off
    /// for an application that the system lets run there, such as one that plays audio; then only
    /// ``Pusher/applicationDidEnterBackground()`` closes it. Read when a client is made (rule PA-91).
    public var suspendsInBackground: Bool {
        get { state.withLockedValue { $0.suspendsInBackground } }
        set { state.withLockedValue { $0.suspendsInBackground = newValue } }
    }

    /// For how many seconds the connection is kept after the application went to the background; 20 unless set. A return within this time
    /// costs nothing: no authorisation, no `member_removed`, no missed event. Zero closes the connection at once, nil never; the system may
    /// suspend the process sooner, and then the connection is closed before. Read when a client is made (rule PA-93).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var backgroundGrace: TimeInterval? {
        get { state.withLockedValue { $0.backgroundGrace } }
        set { state.withLockedValue { $0.backgroundGrace = newValue } }
    }

    /// How soon a dead connection is noticed, and what that costs while nothing is said; balanced unless set, which is 25 s. An activity
    /// timeout or a pong timeout that the app sets counts before it. Read when a client is made (rule PA-95).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var liveness: Liveness {
        get { state.withLockedValue { $0.liveness } }
        set { state.withLockedValue { $0.liveness = newValue } }
    }

    /// Which of the device's paths to the network the connection and requests to endpoints may use; all unless set. While only others are
    /// there, attempts fail with the category `networkUnavailable`. On Apple platforms only, and for the library's own client: on Linux it has
    /// no effect. Read when a client is made (rules PA-96 and SO-108).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var networkPaths: NetworkPaths {
        get { state.withLockedValue { $0.networkPaths } }
        set { state.withLockedValue { $0.networkPaths = newValue } }
    }

    /// Whether App Nap of macOS is kept away while the client is connected or tries to be; false unless set, since it costs battery. No effect
    /// elsewhere. Read when a client is made (rules PA-97 and BG-12).
    public var preventsAppNap: Bool {
        get { state.withLockedValue { $0.preventsAppNap } }
        set { state.withLockedValue { $0.preventsAppNap = newValue } }
    }

    /// Called on the callback queue before every request to an endpoint, for headers that change, such as a token; they count before
    /// ``authHeaders``.
    public var authHeadersProvider: (() -> [String: String])? {
        get { state.withLockedValue { $0.authHeadersProvider } }
        set { state.replace(\.authHeadersProvider, with: newValue) }
    }

    /// As ``authHeadersProvider``, for fields of the form.
    public var authParamsProvider: (() -> [String: String])? {
        get { state.withLockedValue { $0.authParamsProvider } }
        set { state.replace(\.authParamsProvider, with: newValue) }
    }

    /// How users who sign in are vouched for. A change counts from the next sign-in on.
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

    /// Keys of which the server has to show one, besides being trusted: SHA-256 of the public key (SPKI) in base64, with `sha256/` in
    /// front or without. Empty, the default, for any. They count for the connection and for endpoints of the library's own client.
    ///
    /// A text that is not a pin is told by `receivedError`, and nothing is dialled.
    public var certificatePins: [String] {
        get { state.withLockedValue { $0.certificatePins } }
        set { state.withLockedValue { $0.certificatePins = newValue } }
    }

    /// The certificate that the client presents when the server, or an endpoint of the library's own client, requests one; nil, the
    /// default, for none. Read when a client is made (rules PA-86 and WT-50).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var clientCertificate: ClientCertificate? {
        get { state.withLockedValue { $0.clientCertificate } }
        set { state.withLockedValue { $0.clientCertificate = newValue } }
    }

    /// A proxy for the connection and for requests to endpoints; nil, the default, for none. One that refuses is told as a status with
    /// the category `proxyUnavailable`.
    public var proxy: PusherProxy? {
        get { state.withLockedValue { $0.proxy } }
        set { state.withLockedValue { $0.proxy = newValue } }
    }

    /// The time limit in seconds for an authorisation, and then for a confirmation, of channels without a limit of their own; nil, the
    /// default, for 10 s (2 s with the fast timing). Limited to 0.1 ... 300.
    public var subscribeTimeout: TimeInterval? {
        get { state.withLockedValue { $0.subscribeTimeout } }
        set { state.withLockedValue { $0.subscribeTimeout = newValue } }
    }

    /// Seconds that one message may take from its first byte to its last; then the connection is made anew. Nil, the default, for 30 s
    /// (5 s with the fast timing). Brought into 0.1 ... 3600. Read when a client is made.
    public var messageTimeout: TimeInterval? {
        get { state.withLockedValue { $0.messageTimeout } }
        set { state.withLockedValue { $0.messageTimeout = newValue } }
    }

    /// How many bytes one message may have; a longer one ends the connection with 1009, and it is made anew. Nil, the default, for
    /// 32 MiB (4 MiB with the fast timing). Brought into 1 KiB ... 1 GiB. Read when a client is made.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var maximumMessageSize: Int? {
        get { state.withLockedValue { $0.maximumMessageSize } }
        set { state.withLockedValue { $0.maximumMessageSize = newValue } }
    }

    /// When to try again after a failure; nil, the default, for the library's own pauses. ``PusherConnection/reconnectAttemptsMax`` and
    /// ``PusherConnection/maxReconnectGapInSeconds`` count before its limit and its cap once they are set, and close codes 4000–4099 are
    /// final whatever it says. Read when a client is made (rules PA-84 and RT-31).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var retryPolicy: RetryPolicy? {
        get { state.withLockedValue { $0.retryPolicy } }
        set { state.withLockedValue { $0.retryPolicy = newValue } }
    }

    /// The log for events of the connection and of subscriptions; nil, the default, for none. `debugLog` of the delegate is independent
    /// of it. Read when a client is made (rules PA-85 and OB-1).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var logger: Logger? {
        get { state.withLockedValue { $0.logger } }
        set { state.withLockedValue { $0.logger = newValue } }
    }

    /// The metrics in which the client counts and times its work; nil, the default, for none. Read when a client is made (rules PA-85
    /// and OB-3).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var metrics: ClientMetrics? {
        get { state.withLockedValue { $0.metrics } }
        set { state.withLockedValue { $0.metrics = newValue } }
    }

    /// Whether the client asks its server to replay the events that it misses while it has no connection; true by default. Lifeline's own
    /// server does so for two minutes and up to 100 events of a channel; others ignore it. Read when a client is made (rules PA-92 and
    /// RV-30).
    public var recoversMissedEvents: Bool {
        get { state.withLockedValue { $0.recoversMissedEvents } }
        set { state.withLockedValue { $0.recoversMissedEvents = newValue } }
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
