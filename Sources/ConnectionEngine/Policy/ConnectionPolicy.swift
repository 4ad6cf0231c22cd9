/// The settings of a connection that a user or a service may change.
public struct ConnectionPolicy: Hashable, Sendable {
    public var timing: ConnectionTiming
    /// Whether the machine probes a silent connection, for example with a ping. False for a service whose session checks the connection
    /// itself (long-poll).
    public var probesSilence: Bool
    /// Whether the client connects again after a failure that the retry table allows to retry.
    public var retriesAutomatically: Bool
    /// The most retries in a row; nil for no limit. When this number is reached, the connection ends in phase `failed` with the last cause.
    public var maximumRetries: Int?
    /// The longest pause between attempts to connect, before `Retry-After` and jitter are applied. 30 s by default.
    public var cap: Duration
    /// The pause that doubles with each failure, up to ``cap``; see ``RetrySchedule/jittered(first:base:cap:atLeast:)``. 2 s by default.
    public var base: Duration
    /// The longest first pause after the loss of a working connection, by cause: a local fault, a fault that the server caused or may have
    /// caused, and a restart that the server announced.
    public var firstPause: FirstPause
    /// The pause schedules for single failure categories. They have precedence over the retry table's schedules for these categories.
    public var overrides: [StatusCategory: RetrySchedule]
    /// The pause schedule for failure categories to which the retry table assigns no schedule; nil for the table's default schedule.
    public var ordinary: RetrySchedule?
    /// The user's retry policy, which replaces the retry table and ``ordinary``; nil if there is none. Set by ``retrying(_:)``.
    public private(set) var chosen: RetryPolicy?
    /// The size limit of a message or an answer in bytes, 32 MiB by default. Services with shorter messages set a lower limit.
    public var messageBytes: Int
    /// How long the connection stays open after the application went to the background. Zero closes the connection at once; nil keeps it
    /// until the system suspends the process. Rule BG-9.
    public var backgroundGrace: Duration?

    public struct FirstPause: Hashable, Sendable {
        public var local: Duration
        public var server: Duration
        public var restart: Duration

        public init(local: Duration, server: Duration, restart: Duration) {
            self.local = local
            self.server = server
            self.restart = restart
        }
    }

    public init(
        timing: ConnectionTiming = .standard, probesSilence: Bool = true, retriesAutomatically: Bool = true,
        maximumRetries: Int? = nil, cap: Duration = .seconds(30), base: Duration = .seconds(2),
        firstPause: FirstPause = FirstPause(local: .milliseconds(500), server: .seconds(3), restart: .seconds(1)),
        overrides: [StatusCategory: RetrySchedule] = [:], ordinary: RetrySchedule? = nil,
        messageBytes: Int = 32 << 20, backgroundGrace: Duration? = .zero
    ) {
        self.timing = timing
        self.probesSilence = probesSilence
        self.retriesAutomatically = retriesAutomatically
        self.maximumRetries = maximumRetries
        self.cap = cap
        self.base = base
        self.firstPause = firstPause
        self.overrides = overrides
        self.ordinary = ordinary
        self.messageBytes = messageBytes
        self.backgroundGrace = backgroundGrace
    }

    /// The production profile.
    public static let standard = ConnectionPolicy()

    /// The test profile: base 0.5 s, cap 3 s, messages of at most 4 MiB. After the loss of a working connection, the first pause is at most
    /// 0.5 s.
    public static let fast = ConnectionPolicy(
        timing: .fast, cap: .seconds(3), base: .milliseconds(500),
        firstPause: FirstPause(local: .milliseconds(500), server: .milliseconds(500), restart: .milliseconds(500)),
        messageBytes: 4 << 20)

    /// Returns this policy with the user's retry pauses and limits (rules RT-31 to RT-33); unchanged when `retries` is nil.
    public func retrying(_ retries: RetryPolicy?) -> ConnectionPolicy {
        guard let retries else { return self }
        var policy = self
        policy.chosen = retries
        policy.base = retries.backoff.base
        policy.cap = retries.backoff.cap
        policy.maximumRetries = retries.backoff.limit
        return policy
    }

    /// The most retries in a row after this failure, or nil for no limit.
    func retryLimit(for failure: ConnectionFailure) -> Int? {
        if let override = chosen?.overrides[failure.category] { return override.limit }
        return maximumRetries
    }

    /// The schedule of pauses after `failure`, from the retry table or the user's retry policy (rules RT-1 and RT-31).
    public func schedule(for failure: ConnectionFailure) -> RetrySchedule {
        let ownSchedule = tableSchedule(for: failure)
        guard let chosen, ownSchedule != .never else { return ownSchedule }
        if let override = chosen.overrides[failure.category] {
            return override.limit == 0 ? .never : .chosen(override, atLeast: .zero)
        }
        switch failure.category {
        case .tlsUntrusted: return .capped(cap)
        case .overloaded: return .chosen(chosen.backoff, atLeast: .seconds(1))
        default: return .chosen(chosen.backoff, atLeast: .zero)
        }
    }

    private func tableSchedule(for failure: ConnectionFailure) -> RetrySchedule {
        if let override = overrides[failure.category] { return override }
        switch failure.category {
        case .refused, .credentialsRejected, .kicked, .banned, .accountDeleted, .malformedFilter, .requestTooLong,
            .disconnected:
            return .never
        case .tlsUntrusted:
            return .capped(cap)
        case .serverRestart:
            return .jittered(first: firstPause.restart, base: base, cap: cap, atLeast: .zero)
        case .overloaded:
            return .jittered(first: firstPause.server, base: base, cap: cap, atLeast: .seconds(1))
        default:
            if let ordinary { return ordinary }
            let first = Self.mayConcernOthers(failure) ? firstPause.server : firstPause.local
            return .jittered(first: first, base: base, cap: cap, atLeast: .zero)
        }
    }

    /// Whether other clients may have lost their connections at the same moment. This is also assumed when a connection broke without a
    /// close frame or timed out. In these cases the cause may be the server, or only this client's network.
    private static func mayConcernOthers(_ failure: ConnectionFailure) -> Bool {
        failure.origin == .server || failure.category == .unexpectedDisconnect || failure.category == .timeout
    }
}
