import ConnectionEngine
import Dispatch
import EngineRuntime
import Foundation
import Logging
import TransportCommon

/// Settings of the SDK, read by ``NCEngine/initialize(_:)``.
#if canImport(ObjectiveC)
    @objc(NCInitParams) @objcMembers
#endif
public class InitParams: NSObject {
    /// The application's key.
    public let appKey: String
    /// The address of Lifeline's server: `http://host:port`, `https://…`, `ws://…`, `wss://…`, `host:port` or `host`.
    ///
    /// Has to be set: this library does not work with Nexconn's servers, and without an address `connect` ends with 33003.
    /// `lifeline serve` listens at `http://127.0.0.1:6001` (rule NC-2).
    public var naviServer: String?
    /// The least severe messages that are logged.
    public var logLevel: LogLevel = .warn
    /// The vendor's data centre. Kept for the application and not used.
    public var areaCode: AreaCode = .sg
    /// Kept for the application and not used: ``MediaUploader`` uploads files.
    public var fileServer: String?
    /// Kept for the application and not used: the library reports no statistics.
    public var statisticServer: String?

    /// The folder of local databases; nil for the user's folder for application data. An addition to the vendor's SDK.
    public var databaseDirectory: String?
    /// A file of PEM certificates to trust instead of the system's. An addition to the vendor's SDK.
    public var certificateAuthorityFile: String?
    /// Pins of public keys of which the server's certificate chain has to contain one, in addition to being trusted: SHA-256 of the
    /// public key (SPKI) in base64, with or without the prefix `sha256/`. Empty for any. While one of the texts is not a valid pin,
    /// `connect` ends at once with 33003 and a reason that names the text (rule NC-57). An addition to the vendor's SDK.
    public var certificatePins: [String] = []
    /// The certificate that the library presents when the server requests one; nil for none (rules NC-58 and WT-50). An addition to the
    /// vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var clientCertificate: ClientCertificate?
    /// How many seconds the connection is kept after the application went to the background; 120 unless set, as in the vendor's SDK (2
    /// with the fast timing). Zero closes it at once, infinity never; if the system suspends the process sooner, the connection is
    /// closed before that (rule NC-65). An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var backgroundGrace: TimeInterval?
    /// How soon a dead connection is detected, which costs traffic on an idle connection; balanced unless set, which is 25 s. An
    /// addition to the vendor's SDK (rule NC-66).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var liveness: Liveness = .balanced
    /// Which of the device's network paths the connection may use; all unless set. While only excluded paths are available, attempts
    /// fail as without a network. On Apple platforms only: on Linux it has no effect (rules NC-67 and SO-108). An addition to the
    /// vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var networkPaths: NetworkPaths = .all
    /// Whether the engine prevents App Nap of macOS while it is connected or connecting; false unless set, because it costs battery. No
    /// effect on other systems (rules NC-68 and BG-12). An addition to the vendor's SDK.
    public var preventsAppNap = false
    /// The serial queue of all handlers and completions; nil for a queue of the library. An addition to the vendor's SDK.
    public var callbackQueue: DispatchQueue?
    /// The time limits of connections and requests. An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var timing: NCTiming = .standard
    /// The proxy for all connections; nil for none. An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var proxy: NCProxy?
    /// The time limit in seconds for one message of the server from its first byte to its last; after that the library reconnects. Nil
    /// for 30 s (5 s with the fast timing). Clamped to 0.1 ... 3600. An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var messageTimeout: TimeInterval?
    /// The largest message of the server in bytes; a longer one ends the connection, and the library reconnects. Nil for 1 MiB. Clamped
    /// to 1 KiB ... 1 GiB. An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var maximumMessageSize: Int?
    /// When to try again after a failure; nil for the pauses of the SDK (rules NC-55 and RT-31). An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var retryPolicy: RetryPolicy?
    /// The logger that the library writes to; nil for the process-wide one. An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var logger: Logger?
    /// The metrics in which the library counts and measures; nil for none (rules NC-56 and OB-3). An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var metrics: ClientMetrics?

    /// Settings with default values for an application's key.
    public init(appKey: String) {
        self.appKey = appKey
    }
}

/// Sets of time limits. An addition to the vendor's SDK.
public enum NCTiming: Hashable, Sendable {
    /// The limits for production.
    case standard
    /// Short limits for tests: an outage is detected within 3 s and retried within 3 s.
    case fast
}

/// Log levels; each includes the levels above it.
#if canImport(ObjectiveC)
    @objc(NCLogLevel)
#endif
public enum LogLevel: Int, Sendable {
    /// Nothing is logged.
    case none = 0
    /// Failures that need attention.
    case error = 1
    /// Conditions that the library recovers from, or that a call should avoid.
    case warn = 2
    /// Changes of the connection.
    case info = 3
    /// Details for developers.
    case debug = 4
    /// All messages.
    case verbose = 5
}

/// The vendor's data centres.
#if canImport(ObjectiveC)
    @objc(NCAreaCode)
#endif
public enum AreaCode: Int, Sendable {
    /// The data centre `bj`.
    case bj = 1
    /// The data centre in Singapore, the default.
    case sg = 2
    /// The data centre `na`.
    case na = 3
    /// The data centre `sa`.
    case sa = 4
    /// The data centre `om`.
    case om = 5
}
