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
    ///   - seed: with one the pauses are drawn, so that clients who lost the service together do not come back together; nil for
    ///     the exact lengths.
    public static func policy(
        _ base: ConnectionPolicy = .standard, options: PubNubOptions = PubNubOptions(), seed: UInt64? = nil
    ) -> ConnectionPolicy {
        let unit = min(base.base, .seconds(1))
        let pauses = [unit, base.cap / 3]
        let unreachable = seed == nil ? RetrySchedule.sequence(pauses) : .spread(pauses, afterLoss: pausesAfterLoss(base))
        var rows: [StatusCategory: RetrySchedule] = [
            .networkUnavailable: unreachable, .proxyUnavailable: unreachable, .timeout: unreachable,
            .accessDenied: .jittered(first: unit, base: unit, cap: base.cap, atLeast: unit / 2),
        ]
        if !options.restoresSubscription {
            for category: StatusCategory in [.networkUnavailable, .proxyUnavailable, .timeout, .unexpectedDisconnect] {
                rows[category] = .never
            }
        }
        var policy = base
        // Whoever does not want polls to be asked again does not want questions in between either: the answer to the poll is the sign of
        // life then, and the system's keepalive finds a dead connection before (rule LV-18).
        if base.timing.renewal <= .zero, options.pollRenewal == nil {
            policy.timing.activity = max(base.timing.activity, options.pollTimeout)
        }
        policy.overrides = rows.merging(base.overrides) { _, chosen in chosen }
        return policy
    }

    /// The pauses while a service that was reached cannot be reached: 0.5 to 5 s, then a quarter of the longest pause up to all of
    /// it. A server that stops answers its polls, and each client finds at its next poll that nobody is there any more: that
    /// attempt has no pause before it, so the one after it is drawn from a wider interval than a first pause.
    private static func pausesAfterLoss(_ base: ConnectionPolicy) -> [ClosedRange<Duration>] {
        // The fast profile is for tests, which have few clients.
        guard base.firstPause.server >= .seconds(1) else { return [] }
        let longest = base.cap / 3
        return [min(.milliseconds(500), longest)...min(.seconds(5), longest), (longest / 4)...longest]
    }
}
