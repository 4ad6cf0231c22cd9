import ConnectionEngine

/// The sets of time limits that a client can use. An addition to the Cocoa SDK.
public enum PNTiming: Hashable, Sendable {
    /// The time limits for production.
    case standard
    /// Short time limits for tests: network failures are detected within 2 s and retried within 3 s.
    case fast
}

/// Whether and how often a lost subscription is retried. An addition to the Cocoa SDK, which retries every second without end.
///
/// Pauses grow with each failure and are random, so that many clients do not reconnect at the same moment.
public struct PNRetryPolicy: Hashable, Sendable {
    /// Whether a lost subscription is retried at all.
    public var isEnabled: Bool
    /// The maximum number of retries in a row, after which the client gives up; nil for no limit.
    public var maximumRetries: Int?
    /// The longest pause in seconds, 0.1 or more. Nil uses the value of the timing: 30 s, or 3 s with `fast`.
    public var maximumDelay: Double?
    /// Your own pauses, jitter and limits, optionally for single failure categories; nil for the library's own. If ``maximumRetries`` or
    /// ``maximumDelay`` is not nil, it replaces the limit or the longest pause of this policy (rules PK-67 and RT-31).
    public var pauses: RetryPolicy?

    /// A retry policy. By default a lost subscription is retried without end.
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
    /// The policy that gives up at the first failure.
    public static let none = PNRetryPolicy(isEnabled: false)
}
