/// The phases in the life of a connection.
public enum ConnectionPhase: Hashable, Sendable {
    /// `connect` was never called.
    case idle
    /// An attempt to connect is in progress.
    case connecting
    /// The service confirmed the connection.
    case connected
    /// The next attempt to connect starts after a pause.
    case waiting
    /// No attempt to connect is made: without a network, until there is one; in the background, until the application returns to the
    /// foreground.
    case suspended
    /// The connection is being closed on request.
    case disconnecting
    /// The connection was closed on request. The client does not try again.
    case disconnected
    /// The connection was closed for a reason that another attempt to connect would not change. The client does not try again.
    case failed

    /// Whether the connection stays in this phase until the next `connect`.
    public var isTerminal: Bool { self == .idle || self == .disconnected || self == .failed }
}

/// One announced change of a connection's phase, with its cause.
public struct ConnectionChange: Hashable, Sendable {
    public var previous: ConnectionPhase
    public var phase: ConnectionPhase
    public var category: StatusCategory
    /// The failure that led to this phase; nil for a phase that no failure led to.
    public var cause: ConnectionFailure?
    /// How many attempts to connect have failed in a row when the change is announced; 0 for the first attempt and after a success.
    public var attempt: Int
    /// The pause before the next attempt to connect in the phases `waiting` and `suspended`; nil when none is scheduled.
    public var retryIn: Duration?
    /// Whether the client will try to connect again without a new `connect`.
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

/// The state of the network as the operating system reports it. The engine uses these reports as hints only; without reports it relies on
/// its timers.
public enum NetworkStatus: Hashable, Sendable {
    /// There is no route to any destination.
    case unavailable
    /// There is a route, or the route has changed.
    case available
}
