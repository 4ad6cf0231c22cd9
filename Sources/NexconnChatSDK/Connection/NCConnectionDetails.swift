import ConnectionEngine

/// A change of status with its details. An addition to the vendor's SDK, whose statuses have no cause.
public struct NCConnectionDetails: Hashable, Sendable {
    /// The new status.
    public var status: NCConnectionStatus
    /// The kind of change as a word, such as `unexpectedDisconnect` or `timeout`. `docs/behaviour.md` lists the words.
    public var category: String
    /// The cause as a sentence for people; nil when there was no failure. Contains no secrets.
    public var reason: String?
    /// The service's code, such as 31010, or the HTTP status; nil when there was none.
    public var code: Int?
    /// How many attempts have failed in a row.
    public var attempt: Int
    /// Seconds until the next attempt; nil when none is scheduled.
    public var retryIn: Double?
    /// Whether the library tries again automatically.
    public var willRetry: Bool

    /// Makes details, such as for tests of your own code.
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
