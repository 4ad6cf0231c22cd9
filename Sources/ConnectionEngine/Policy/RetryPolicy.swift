/// The application's choice of when a client tries again after a failure. It replaces the service's retry table (rules RT-31 to RT-33).
///
/// The pause after the n-th failure in a row is `base·2^(n-1)`, at most `cap`; the jitter is applied last. Failures that a retry cannot
/// resolve (see ``finalCategories``) are never retried. A server's `Retry-After` is the minimum pause, up to the cap.
///
/// ```swift
/// let policy = try RetryPolicy(
///     base: .seconds(1), cap: .seconds(60), limit: 20,
///     overrides: [.overloaded: .init(base: .seconds(10), cap: .seconds(300)), .tlsUntrusted: .never])
/// ```
///
/// When many clients lose their connections together, the retry table spreads their attempts to reconnect over three seconds. With a
/// shorter base, or without jitter, all clients of a restarted server reconnect at the same moment.
public struct RetryPolicy: Hashable, Sendable {
    /// The pauses after failures of categories without an override, and the limit of retries.
    public let backoff: RetryBackoff
    /// Pauses and limits of single categories. They replace `backoff` for these categories.
    public let overrides: [StatusCategory: RetryBackoff]

    /// Categories that no policy can retry, because a retry would fail again.
    public static let finalCategories: Set<StatusCategory> = [
        .refused, .credentialsRejected, .kicked, .banned, .accountDeleted, .malformedFilter, .requestTooLong, .disconnected,
    ]

    /// Creates a retry policy.
    ///
    /// - Parameters:
    ///   - base: the first pause, 10 ms to 24 h.
    ///   - cap: the longest pause, `base` to 24 h.
    ///   - jitter: the random part of pauses.
    ///   - limit: the most retries in a row before the client gives up; nil for no limit, 0 for no retries.
    ///   - overrides: pauses and limits of single categories, such as ``RetryBackoff/never``.
    /// - Throws: ``InvalidRetryPolicy`` for values outside of their ranges, and for an override of one of ``finalCategories``.
    public init(
        base: Duration = .seconds(2), cap: Duration = .seconds(30), jitter: RetryJitter = .equal, limit: Int? = nil,
        overrides: [StatusCategory: RetryBackoff] = [:]
    ) throws(InvalidRetryPolicy) {
        backoff = try RetryBackoff(base: base, cap: cap, jitter: jitter, limit: limit)
        for category in overrides.keys.sorted(by: { $0.rawValue < $1.rawValue }) where Self.finalCategories.contains(category) {
            throw InvalidRetryPolicy(
                "The category \(category) is never retried, because a retry would fail again. Remove it from the overrides.")
        }
        self.overrides = overrides
    }

    /// Returns this policy with pauses of at most `cap` for categories without an override.
    package func capped(at cap: Duration) -> RetryPolicy {
        RetryPolicy(backoff.capped(at: cap), overrides)
    }

    private init(_ backoff: RetryBackoff, _ overrides: [StatusCategory: RetryBackoff]) {
        self.backoff = backoff
        self.overrides = overrides
    }

    /// The pauses after failures of `category`: its override if there is one, otherwise ``backoff``.
    public func backoff(for category: StatusCategory) -> RetryBackoff {
        overrides[category] ?? backoff
    }
}

/// Growing pauses between attempts to connect, and the limit of retries.
public struct RetryBackoff: Hashable, Sendable {
    /// The pause after the first failure.
    public let base: Duration
    /// The longest pause, before jitter.
    public let cap: Duration
    /// The random part of pauses.
    public let jitter: RetryJitter
    /// The most retries in a row, regardless of the failures' categories; nil for no limit.
    public let limit: Int?

    /// The range of pauses that users may choose.
    public static let pauses = Duration.milliseconds(10)...Duration.seconds(86_400)

    /// The limit is 0, so the client never retries.
    public static let never = RetryBackoff(uncheckedBase: .seconds(1), cap: .seconds(1), jitter: .none, limit: 0)

    /// Creates pauses that double from `base` to `cap`.
    ///
    /// - Throws: ``InvalidRetryPolicy`` when `base` or `cap` is outside of 10 ms to 24 h, `cap` is shorter than `base`, `limit` is
    ///   negative, or a fraction of jitter is outside of 0 to 1.
    public init(
        base: Duration, cap: Duration, jitter: RetryJitter = .equal, limit: Int? = nil
    ) throws(InvalidRetryPolicy) {
        guard Self.pauses.contains(base) else {
            throw InvalidRetryPolicy("The base of a retry policy is \(base); it must be from 10 ms to 24 h.")
        }
        guard Self.pauses.contains(cap), cap >= base else {
            throw InvalidRetryPolicy("The cap of a retry policy is \(cap); it must be from its base, \(base), to 24 h.")
        }
        if let limit, limit < 0 {
            throw InvalidRetryPolicy("The limit of a retry policy is \(limit); it must be 0 or more, or nil for no limit.")
        }
        if case .fraction(let part) = jitter, !(0...1).contains(part) {
            throw InvalidRetryPolicy("The jitter of a retry policy is the fraction \(part); it must be from 0 to 1.")
        }
        self.init(uncheckedBase: base, cap: cap, jitter: jitter, limit: limit)
    }

    private init(uncheckedBase base: Duration, cap: Duration, jitter: RetryJitter, limit: Int?) {
        self.base = base
        self.cap = cap
        self.jitter = jitter
        self.limit = limit
    }

    fileprivate func capped(at cap: Duration) -> RetryBackoff {
        let cap = cap.clamped(to: Self.pauses)
        return RetryBackoff(uncheckedBase: min(base, cap), cap: cap, jitter: jitter, limit: limit)
    }

    /// The interval from which the random pause is drawn, where `longest` is the pause before jitter.
    func interval(of longest: Duration) -> ClosedRange<Duration> {
        switch jitter {
        case .full: .zero...longest
        case .equal: (longest / 2)...longest
        case .none: longest...longest
        case .fraction(let part): min(longest * (1 - part), longest)...longest
        }
    }
}

/// The random part of a pause between attempts to connect.
public enum RetryJitter: Hashable, Sendable {
    /// The pause is drawn from zero to its full length.
    case full
    /// The pause is drawn from half of its length to its full length.
    case equal
    /// The pause has its full length, without a random part. Clients that lost their connections together reconnect together.
    case none
    /// The fraction of the pause that is random, 0 to 1: with 0.2 the pause is drawn from 80 % of its length to its full length.
    case fraction(Double)
}

/// The error that is thrown for a retry policy with invalid values.
public struct InvalidRetryPolicy: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence with the invalid value and its valid range.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
