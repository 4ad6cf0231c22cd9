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
    /// Has to be set: this library does not talk to Nexconn's servers, and without an address `connect` ends with 33003. `lifeline
    /// serve` listens at `http://127.0.0.1:6001` (rule NC-2).
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
    /// Keys of which the server has to show one, besides being trusted: SHA-256 of the public key (SPKI) in base64, with `sha256/` in
    /// front or without. Empty for any. While a text among them is not a pin, `connect` ends at once with 33003 and a sentence that names it
    /// (rule NC-57). An addition to the vendor's SDK.
    public var certificatePins: [String] = []
    /// The certificate that the library presents when the server asks for one; nil for none (rules NC-58 and WT-50). An addition to the
    /// vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var clientCertificate: ClientCertificate?
    /// For how many seconds the connection is kept after the application went to the background; 120 unless set, as with the vendor (2
    /// with the fast timing). Zero closes it at once, infinity never; the system may suspend the process sooner, and then the connection
    /// is closed before (rule NC-65). An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var backgroundGrace: TimeInterval?
    /// How soon a dead connection is noticed, and what that costs on an idle connection; balanced unless set, which is 25 s. An
    /// addition to the vendor's SDK (rule NC-66).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var liveness: Liveness = .balanced
    /// Which of the device's paths to the network the connection may use; all unless set. While only others are there, attempts fail as without
    /// a network. On Apple platforms only: on Linux it has no effect (rules NC-67 and SO-108). An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var networkPaths: NetworkPaths = .all
    /// Whether App Nap of macOS is kept away while the engine is connected or tries to be; false unless set, since it costs battery. No effect
    /// elsewhere (rules NC-68 and BG-12). An addition to the vendor's SDK.
    public var preventsAppNap = false
    /// The serial queue of all handlers and completions; nil for one of the library's own. An addition to the vendor's SDK.
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
    /// Seconds that one message of the server may take from its first byte to its last; then the connection is made anew. Nil for 30 s
    /// (5 s with the fast timing). Brought into 0.1 ... 3600. An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var messageTimeout: TimeInterval?
    /// How many bytes one message of the server may have; a longer one ends the connection, which is made anew. Nil for 1 MiB. Brought
    /// into 1 KiB ... 1 GiB. An addition to the vendor's SDK.
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
    /// For production.
    case standard
    /// Short limits for tests: an outage is noticed within 3 s and retried within 3 s.
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
    /// Everything.
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
