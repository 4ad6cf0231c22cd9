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
    /// The address of a Lifeline server: `http://host:port`, `https://…`, `ws://…`, `wss://…`, `host:port` or `host`.
    ///
    /// The address is required, because this library does not work with Nexconn's servers; without it, `connect` fails with 33003.
    /// `lifeline serve` listens at `http://127.0.0.1:6001` (rule NC-2).
    public var naviServer: String?
    /// The least severe messages that are logged.
    public var logLevel: LogLevel = .warn
    /// The vendor's data centre. It has no effect, and exists for source compatibility.
    public var areaCode: AreaCode = .sg
    /// The vendor's file server. It has no effect, because a ``MediaUploader`` uploads files; it exists for source compatibility.
    public var fileServer: String?
    /// The vendor's statistics server. It has no effect, because the library reports no statistics; it exists for source compatibility.
    public var statisticServer: String?

    /// The folder of local databases; nil for the user's application data folder. An addition to the vendor's SDK.
    public var databaseDirectory: String?
    /// A file of PEM certificates that are trusted instead of the system's. An addition to the vendor's SDK.
    public var certificateAuthorityFile: String?
    /// Pins of public keys: the server's certificate chain has to contain one of these keys, in addition to being trusted. A pin is the
    /// SHA-256 of a public key (SPKI) in base64, with or without the prefix `sha256/`. With an empty array any key is accepted.
    ///
    /// If one of the texts is not a valid pin, `connect` fails at once with 33003 and a reason that names the text (rule NC-57). An
    /// addition to the vendor's SDK.
    public var certificatePins: [String] = []
    /// The certificate that the library presents when the server requests one; nil for none (rules NC-58 and WT-50). An addition to the
    /// vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var clientCertificate: ClientCertificate?
    /// How many seconds the connection stays open after the application went to the background. The default is 120, as in the vendor's SDK
    /// (2 with the fast timing). Zero closes it at once, infinity keeps it open. If the system suspends the process sooner, the connection
    /// is closed before that (rule NC-65). An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var backgroundGrace: TimeInterval?
    /// How soon a dead connection is detected. Earlier detection costs traffic on an idle connection. By default `balanced`, which is 25 s.
    /// An addition to the vendor's SDK (rule NC-66).
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var liveness: Liveness = .balanced
    /// Which of the device's network paths the connection may use; all by default. While only excluded paths are available, attempts fail
    /// as without a network.
    ///
    /// The setting applies on Apple platforms; it has no effect on Linux (rules NC-67 and SO-108). An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var networkPaths: NetworkPaths = .all
    /// Whether the library prevents App Nap of macOS while it is connected or connecting; false by default, because it costs battery. It
    /// has no effect on other systems (rules NC-68 and BG-12). An addition to the vendor's SDK.
    public var preventsAppNap = false
    /// The serial queue on which all handlers and completions are called; nil for a queue of the library. An addition to the vendor's SDK.
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
    /// The time limit of one message of the server from its first byte to its last, in seconds. When it is exceeded, the library
    /// reconnects. Nil is 30 s (5 s with the fast timing). Clamped to 0.1 ... 3600. An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var messageTimeout: TimeInterval?
    /// The largest message of the server in bytes. A longer message closes the connection, and the library reconnects. Nil is 1 MiB.
    /// Clamped to 1 KiB ... 1 GiB. An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var maximumMessageSize: Int?
    /// When the client tries again after a failure; nil for the SDK's own pauses (rules NC-55 and RT-31). An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var retryPolicy: RetryPolicy?
    /// The logger that the library writes to; nil for a logger of the process-wide logging system. An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var logger: Logger?
    /// The metrics that count and time the library's events; nil for no metrics (rules NC-56 and OB-3). An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var metrics: ClientMetrics?

    /// Creates settings with an app key and default values.
    public init(appKey: String) {
        self.appKey = appKey
    }
}

/// Sets of time limits for connections and requests. An addition to the vendor's SDK.
public enum NCTiming: Hashable, Sendable {
    /// The time limits for production use.
    case standard
    /// Short limits for tests: the client detects an outage within 3 s, and tries again within 3 s.
    case fast
}

/// Log levels. Each level includes all more severe levels.
#if canImport(ObjectiveC)
    @objc(NCLogLevel)
#endif
public enum LogLevel: Int, Sendable {
    /// Nothing is logged.
    case none = 0
    /// Failures that need attention.
    case error = 1
    /// Conditions from which the library recovers, or mistakes in the use of the API.
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
    /// The vendor's data centre with the code `bj`.
    case bj = 1
    /// The data centre in Singapore, the default.
    case sg = 2
    /// The vendor's data centre with the code `na`.
    case na = 3
    /// The vendor's data centre with the code `sa`.
    case sa = 4
    /// The vendor's data centre with the code `om`.
    case om = 5
}
