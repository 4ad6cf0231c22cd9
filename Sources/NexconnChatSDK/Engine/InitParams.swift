import Dispatch
import Foundation
import Logging

/// Settings of the SDK, read by ``NCEngine/initialize(_:)``.
#if canImport(ObjectiveC)
    @objc(NCInitParams) @objcMembers
#endif
public class InitParams: NSObject {
    /// The application's key.
    public let appKey: String
    /// Where Lifeline's server is: `http://host:port`, `https://…`, `ws://…`, `wss://…`, `host:port` or `host`.
    ///
    /// Has to be set: this library does not talk to Nexconn's servers, and without an address `connect` ends with 33003. `lifeline
    /// serve` listens at `http://127.0.0.1:6001` (rule NC-2).
    public var naviServer: String?
    /// How much is logged.
    public var logLevel: LogLevel = .warn
    /// The data centre. Kept for the application; Lifeline's server has none.
    public var areaCode: AreaCode = .sg
    /// Where files are uploaded. Kept for the application; files are sent by reference.
    public var fileServer: String?
    /// Kept for the application; nothing is reported.
    public var statisticServer: String?

    /// Where local databases are kept. Nil for the user's folder for application data. An addition to the vendor's SDK.
    public var databaseDirectory: String?
    /// A file of PEM certificates to trust instead of the system's. An addition to the vendor's SDK.
    public var certificateAuthorityFile: String?
    /// The serial queue of all handlers and completions; nil for one of the library's own. An addition to the vendor's SDK.
    public var callbackQueue: DispatchQueue?
    /// How patient the library is. An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var timing: NCTiming = .standard
    /// Goes between; nil for none. An addition to the vendor's SDK.
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
    /// What the library logs to; nil for the process-wide one. An addition to the vendor's SDK.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var logger: Logger?

    public init(appKey: String) {
        self.appKey = appKey
    }
}

/// How patient the library is. An addition to the vendor's SDK.
public enum NCTiming: Hashable, Sendable {
    /// For production.
    case standard
    /// For tests: the same code with short times. An outage is noticed after 3 s at most and retried within 3 s.
    case fast
}

/// How much is logged.
#if canImport(ObjectiveC)
    @objc(NCLogLevel)
#endif
public enum LogLevel: Int, Sendable {
    case none = 0
    case error = 1
    case warn = 2
    case info = 3
    case debug = 4
    case verbose = 5
}

/// The vendor's data centres.
#if canImport(ObjectiveC)
    @objc(NCAreaCode)
#endif
public enum AreaCode: Int, Sendable {
    case bj = 1
    case sg = 2
    case na = 3
    case sa = 4
    case om = 5
}
