import ConnectionEngine
import Dispatch
import EngineRuntime
import Foundation
import Logging
import NIOConcurrencyHelpers
import TransportCommon

/// Sets of time limits for a connection.
public enum PusherTiming: Hashable, Sendable {
    /// The time limits for production use.
    case standard
    /// Short limits for tests: the client detects an outage within 3 s, and tries again within 3 s.
    case fast
}

/// Settings of a client.
///
/// Settings are read when a client is created; `authMethod` is read for every authorisation. `@unchecked Sendable`: everything that can
/// change is protected by `state`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public class PusherClientOptions: NSObject, @unchecked Sendable {
    struct State {
        var authMethod: AuthMethod
        var timing = PusherTiming.standard
        var certificateAuthorityFile: String?
        var callbackQueue = DispatchQueue.main
        var headers: [String: String] = [:]
        var authHeaders: [String: String] = [:]
        var authParams: [String: String] = [:]
        var authHeadersProvider: (() -> [String: String])?
        var authParamsProvider: (() -> [String: String])?
        var userAuthentication = UserAuthMethod.noMethod
        var certificatePins: [String] = []
        var recoversMissedEvents = true
        var clientCertificate: ClientCertificate?
        var proxy: PusherProxy?
        var subscribeTimeout: TimeInterval?
        var messageTimeout: TimeInterval?
        var maximumMessageSize: Int?
        var retryPolicy: RetryPolicy?
        var logger: Logger?
        var metrics: ClientMetrics?
        var suspendsInBackground = true
        var backgroundGrace: TimeInterval? = 20
        var liveness = Liveness.balanced
        var networkPaths = NetworkPaths.all
        var preventsAppNap = false
        var engine = PusherEngineAssembly.live
    }

    let state: NIOLockedValueBox<State>

    /// Whether callbacks with `Any?` get data as JSON values (true) or as text (false). Callbacks with a ``PusherEvent`` always get text.
    public let attemptToReturnJSONObject: Bool
    /// Whether the client reconnects after a loss. After close codes 4000–4999 the code itself determines the reaction, and this setting is
    /// ignored (rule PA-14).
    public let autoReconnect: Bool
    /// The host's name.
    public let host: String
    /// The TCP port; by default 443 with TLS and 80 without.
    public let port: Int
    /// A prefix of the path `/app/…`, for servers behind a reverse proxy; nil for none.
    public let path: String?
    /// Whether the connection is encrypted with TLS.
    public let useTLS: Bool
    /// Seconds without data after which the client sends a ping; nil for the default of ``PusherConnection/activityTimeoutInterval``.
    public let activityTimeout: TimeInterval?

    /// Creates the settings of a client. Each parameter sets the property of the same name.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public init(
        authMethod: AuthMethod = .noMethod, attemptToReturnJSONObject: Bool = true, autoReconnect: Bool = true,
        host: PusherHost = .defaultHost, port: Int? = nil, path: String? = nil, useTLS: Bool = true,
        activityTimeout: TimeInterval? = nil
    ) {
        state = NIOLockedValueBox(State(authMethod: authMethod))
        self.attemptToReturnJSONObject = attemptToReturnJSONObject
        self.autoReconnect = autoReconnect
        self.host = host.stringValue
        self.port = port ?? (useTLS ? 443 : 80)
        self.path = path
        self.useTLS = useTLS
        self.activityTimeout = activityTimeout
    }

    /// How channels are authorised. A change applies to the next authorisation.
    public var authMethod: AuthMethod {
        get { state.withLockedValue { $0.authMethod } }
        set { state.replace(\.authMethod, with: newValue) }
    }

    /// The time limits of the connection. An addition to PusherSwift 10.1.
    public var timing: PusherTiming {
        get { state.withLockedValue { $0.timing } }
        set { state.replace(\.timing, with: newValue) }
    }

    /// A file of PEM certificates that are trusted instead of the system's. An addition to PusherSwift 10.1.
    public var certificateAuthorityFile: String? {
        get { state.withLockedValue { $0.certificateAuthorityFile } }
        set { state.replace(\.certificateAuthorityFile, with: newValue) }
    }

    /// The serial queue of all callbacks, delegate calls and authorisers; the main queue by default. An addition to PusherSwift 10.1.
    ///
    /// On Linux the main queue runs only while the main thread is in a run loop or `dispatchMain()`, so command-line programs and servers
    /// should set a queue of their own.
    public var callbackQueue: DispatchQueue {
        get { state.withLockedValue { $0.callbackQueue } }
        set { state.replace(\.callbackQueue, with: newValue) }
    }

    /// The functions that make the parts of a client. Tests replace them.
    var engine: PusherEngineAssembly {
        get { state.withLockedValue { $0.engine } }
        set { state.replace(\.engine, with: newValue) }
    }
}
