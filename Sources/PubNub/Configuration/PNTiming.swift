import ConnectionEngine

/// Sets of time limits. An addition to the Cocoa SDK.
public enum PNTiming: Hashable, Sendable {
    /// The limits for production.
    case standard
    /// Short limits for tests: network failures are detected within 2 s and retried within 3 s.
    case fast
}

/// Whether and how a lost subscription is retried. An addition to the Cocoa SDK, which retries every second without end.
///
/// Pauses grow with each failure and are random, so that many clients do not reconnect at the same moment.
public struct PNRetryPolicy: Hashable, Sendable {
    /// Whether to retry at all.
    public var isEnabled: Bool
    /// The most failures in a row before the client gives up; nil for no limit.
    public var maximumRetries: Int?
    /// The longest pause in seconds, 0.1 or more; nil for that of the timing: 30 s, or 3 s in the fast one.
    public var maximumDelay: Double?
    /// Custom pauses, jitter and limits, optionally for single categories; nil for the library's. ``maximumRetries`` and
    /// ``maximumDelay`` replace its limit and its longest pause when they are set (rules PK-67 and RT-31).
    public var pauses: RetryPolicy?

    /// A policy; by default retries without end.
    public init(
        isEnabled: Bool = true, maximumRetries: Int? = nil, maximumDelay: Double? = nil, pauses: RetryPolicy? = nil
    ) {
        self.pauses = pauses
        self.isEnabled = isEnabled
        self.maximumRetries = maximumRetries
        self.maximumDelay = maximumDelay
    }

    /// Retries without end.
    public static let standard = PNRetryPolicy()
    /// Gives up at the first failure.
    public static let none = PNRetryPolicy(isEnabled: false)
}
