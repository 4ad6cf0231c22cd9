import ConnectionEngine

/// The state of a client's connection and the cause of the last change. A status is announced only when it differs from the previous
/// one.
public struct ConnectionStatus: Hashable, Sendable {
    /// The connection's phase before this status.
    public var previous: ConnectionPhase
    /// The connection's phase since this status.
    public var phase: ConnectionPhase
    /// The kind of change, as a category that all services share.
    public var category: StatusCategory
    /// The failure that led to this status; nil when there was none.
    public var cause: ConnectionFailure?
    /// How many connection attempts have failed in a row; 0 for the first attempt and after a success.
    public var attempt: Int
    /// The pause before the next attempt; nil when no attempt is scheduled.
    public var retryIn: Duration?
    /// Whether the client will try again automatically.
    public var willRetry: Bool
    /// When the status changed, on the monotonic clock.
    public var at: Moment
    /// The status's number, counted per client, so that a sequence never repeats a status.
    var number: UInt64 = 0

    /// Makes a status, such as for tests of your own code.
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

    /// The status of a client before its first `connect`.
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

    /// The duration in seconds with two decimal places, such as `0.84`.
    private static func rounded(_ duration: Duration) -> String {
        let hundredths = Int((duration.inSeconds * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
