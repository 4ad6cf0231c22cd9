/// The kinds of lines that a logger writes.
public struct PNLogLevel: OptionSet, Hashable, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The client's configuration, and changes of its connection.
    public static let PNInfoLogLevel = PNLogLevel(rawValue: 1 << 1)
    /// Changes of the network.
    public static let PNReachabilityLogLevel = PNLogLevel(rawValue: 1 << 2)
    /// Requests that are sent, without their parameters.
    public static let PNRequestLogLevel = PNLogLevel(rawValue: 1 << 3)
    /// The duration of each request.
    public static let PNRequestMetricsLogLevel = PNLogLevel(rawValue: 1 << 4)
    /// Results of calls.
    public static let PNResultLogLevel = PNLogLevel(rawValue: 1 << 5)
    /// Statuses without errors.
    public static let PNStatusLogLevel = PNLogLevel(rawValue: 1 << 6)
    /// Statuses with errors.
    public static let PNFailureStatusLogLevel = PNLogLevel(rawValue: 1 << 7)
    /// Calls of API methods.
    public static let PNAPICallLogLevel = PNLogLevel(rawValue: 1 << 8)
    /// Data that could not be encrypted or decrypted.
    public static let PNAESErrorLogLevel = PNLogLevel(rawValue: 1 << 9)
    /// Lines of all kinds.
    public static let PNVerboseLogLevel: PNLogLevel = [
        .PNInfoLogLevel, .PNReachabilityLogLevel, .PNRequestLogLevel, .PNRequestMetricsLogLevel, .PNResultLogLevel,
        .PNStatusLogLevel, .PNFailureStatusLogLevel, .PNAPICallLogLevel, .PNAESErrorLogLevel,
    ]
}
