import ConnectionEngine

/// The state of a client's connection and the cause of the last change. A status is announced only when it differs from the previous
/// one.
public struct ConnectionStatus: Hashable, Sendable {
    /// The phase before this one.
    public var previous: ConnectionPhase
    /// The phase that the connection is in now.
    public var phase: ConnectionPhase
    /// The kind of change, from the list that all services share.
    public var category: StatusCategory
    /// The failure that led to this status; nil when there was none.
    public var cause: ConnectionFailure?
    /// How many attempts have failed in a row; 0 for the first attempt and after a success.
    public var attempt: Int
    /// The pause before the next attempt; nil when no attempt is scheduled.
    public var retryIn: Duration?
    /// Whether the client will try again automatically.
    public var willRetry: Bool
    /// When it happened, on the monotonic clock.
    public var at: Moment
    /// Counts the statuses of a client, so that a sequence never repeats one.
    var number: UInt64 = 0

    /// A status, such as for tests of your own code.
    public init(
        previous: ConnectionPhase = .idle, phase: ConnectionPhase, category: StatusCategory, cause: ConnectionFailure? = nil,
        attempt: Int = 0, retryIn: Duration? = nil, willRetry: Bool = false, at: Moment = .zero
    ) {
        self.previous = previous
        self.phase = phase
        self.category = category
        self.cause = cause
        self.attempt = attempt
        self.retryIn = retryIn
        self.willRetry = willRetry
        self.at = at
    }

    init(_ change: ConnectionChange) {
        self.init(
            previous: change.previous, phase: change.phase, category: change.category, cause: change.cause,
            attempt: change.attempt, retryIn: change.retryIn, willRetry: change.willRetry, at: change.at)
    }

    /// Before the first `connect`.
    static let idle = ConnectionStatus(phase: .idle, category: .disconnected)
}

extension ConnectionStatus: CustomStringConvertible {
    /// The status as one human-readable line, such as `waiting (timeout), retry 2 in 0.84 s: Nothing was received for 3 s.`
    public var description: String {
        var text = "\(phase)"
        if category.rawValue != text { text += " (\(category))" }
        if let retryIn { text += ", retry \(attempt) in \(Self.rounded(retryIn)) s" }
        if phase == .connecting, attempt > 0 { text += ", attempt \(attempt + 1)" }
        if let cause, phase != .connecting { text += ": \(cause.reason)" }
        return text
    }

    /// Seconds with two digits, without a formatter.
    private static func rounded(_ duration: Duration) -> String {
        let hundredths = Int((duration.inSeconds * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
