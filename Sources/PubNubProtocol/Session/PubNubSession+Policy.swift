import ConnectionEngine

// Which failures are the network's, and when to try again.
extension PubNubSession {
    /// Whether nothing reaches the service, so that it is asked for the time before the subscription (rule PX-3).
    static func isUnreachable(_ category: StatusCategory) -> Bool {
        switch category {
        case .networkUnavailable, .proxyUnavailable, .timeout: true
        default: false
        }
    }

    /// Whether the network failed, in the sense of `restoresSubscription` (rule PX-26).
    static func isNetwork(_ category: StatusCategory) -> Bool {
        isUnreachable(category) || category == .unexpectedDisconnect
    }

    /// The policy of a subscription: the engine's, with the rows that PubNub replaces (rules PX-5 and PX-26). What `base` overrides
    /// already stays as it is.
    ///
    /// - Parameters:
    ///   - base: `standard` or `fast`.
    ///   - seed: draws the pauses from 80 to 100 % of their length, so that clients who lost the service together do not come back
    ///     together; nil for the exact lengths.
    public static func policy(
        _ base: ConnectionPolicy = .standard, options: PubNubOptions = PubNubOptions(), seed: UInt64? = nil
    ) -> ConnectionPolicy {
        var random = seed.map { SeededRandom(seed: $0) }
        let pauses = [base.base, base.cap / 3].map { pause in
            random?.duration(in: (pause * 4 / 5)...pause) ?? pause
        }
        let unreachable = RetrySchedule.sequence(pauses)
        var rows: [StatusCategory: RetrySchedule] = [
            .networkUnavailable: unreachable, .proxyUnavailable: unreachable, .timeout: unreachable,
            .accessDenied: .jittered(first: base.base, base: base.base, cap: base.cap, atLeast: base.base / 2),
        ]
        if !options.restoresSubscription {
            for category: StatusCategory in [.networkUnavailable, .proxyUnavailable, .timeout, .unexpectedDisconnect] {
                rows[category] = .never
            }
        }
        var policy = base
        policy.overrides = rows.merging(base.overrides) { _, chosen in chosen }
        return policy
    }
}
