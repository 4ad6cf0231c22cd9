import ConnectionEngine

/// A change of the connection's status with its cause. An addition to the vendor's SDK, whose statuses have no cause.
public struct NCConnectionDetails: Hashable, Sendable {
    /// The new status.
    public var status: NCConnectionStatus
    /// The kind of change as a word, such as `unexpectedDisconnect` or `timeout`. `docs/behaviour.md` lists all words.
    public var category: String
    /// The cause as a sentence for people; nil when there was no failure. Contains no secrets.
    public var reason: String?
    /// The service's code, such as 31010, or the HTTP status; nil when there was none.
    public var code: Int?
    /// How many attempts to connect have failed in a row.
    public var attempt: Int
    /// Seconds until the next attempt to connect; nil when none is scheduled.
    public var retryIn: Double?
    /// Whether the library will try to connect again without a call of `connect`.
    public var willRetry: Bool

    /// Creates details, for example in tests of your own code.
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
