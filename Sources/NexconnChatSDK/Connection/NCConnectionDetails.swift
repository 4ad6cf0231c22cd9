import ConnectionEngine

/// A change of status with everything that is known about it. An addition to the vendor's SDK, whose statuses come without a cause.
public struct NCConnectionDetails: Hashable, Sendable {
    public var status: NCConnectionStatus
    /// What the change is about, such as `unexpectedDisconnect` or `timeout`; the vocabulary is in `docs/behaviour.md`.
    public var category: String
    /// What went wrong, as a sentence; nil when nothing did. Holds no secrets.
    public var reason: String?
    /// The service's code, such as 31010, or the HTTP status; nil when there was none.
    public var code: Int?
    /// Failed attempts in a row so far.
    public var attempt: Int
    /// Seconds until the next attempt; nil when none is waiting.
    public var retryIn: Double?
    /// Whether the library tries again by itself.
    public var willRetry: Bool

    public init(
        status: NCConnectionStatus, category: String, reason: String? = nil, code: Int? = nil, attempt: Int = 0,
        retryIn: Double? = nil, willRetry: Bool = false
    ) {
        self.status = status
        self.category = category
        self.reason = reason
        self.code = code
        self.attempt = attempt
        self.retryIn = retryIn
        self.willRetry = willRetry
    }
}
