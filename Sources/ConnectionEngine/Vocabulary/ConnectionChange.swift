/// The phases of a connection.
public enum ConnectionPhase: Hashable, Sendable {
    /// `connect` was never called.
    case idle
    /// An attempt is in progress.
    case connecting
    /// The service confirmed the connection.
    case connected
    /// The next attempt starts after a pause.
    case waiting
    /// There is no network, and the next attempt starts when there is one; or the application is in the background, and the next
    /// attempt starts when it returns.
    case suspended
    /// The connection is being closed on request.
    case disconnecting
    /// Closed on request. The client does not try again.
    case disconnected
    /// Closed for a reason that another attempt would not change. The client does not try again.
    case failed

    /// Whether the phase stays until the next `connect`.
    public var isTerminal: Bool { self == .idle || self == .disconnected || self == .failed }
}

/// One announced change of phase, with its cause. A change is announced only when it differs from the one before.
public struct ConnectionChange: Hashable, Sendable {
    public var previous: ConnectionPhase
    public var phase: ConnectionPhase
    public var category: StatusCategory
    /// The failure that led to this phase, for every phase that a failure leads to.
    public var cause: ConnectionFailure?
    /// Failed attempts in a row so far; 0 for the first attempt and after a success.
    public var attempt: Int
    /// The pause before the next attempt, in phase `waiting` and `suspended`.
    public var retryIn: Duration?
    /// Whether the engine will try again automatically.
    public var willRetry: Bool
    /// When it happened.
    public var at: Moment

    public init(
        previous: ConnectionPhase, phase: ConnectionPhase, category: StatusCategory, cause: ConnectionFailure? = nil,
        attempt: Int = 0, retryIn: Duration? = nil, willRetry: Bool = false, at: Moment
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
}

/// The operating system's view of the network. A hint only: the engine also works without it, by timers.
public enum NetworkStatus: Hashable, Sendable {
    /// There is no route to any destination.
    case unavailable
    /// There is a route, or the route has changed.
    case available
}
