import ConnectionEngine

// The classification of network failures, and the retry policy of a subscription.
extension PubNubSession {
    /// Whether a failure of this category means that the service cannot be reached. The next attempt then requests the service's time
    /// before it subscribes (rule PX-3).
    static func isUnreachable(_ category: StatusCategory) -> Bool {
        switch category {
        case .networkUnavailable, .proxyUnavailable, .timeout: true
        default: false
        }
    }

    /// Whether a failure of this category is a network failure in the sense of `restoresSubscription` (rule PX-26).
    static func isNetwork(_ category: StatusCategory) -> Bool {
        isUnreachable(category) || category == .unexpectedDisconnect
    }

    /// The connection policy of a subscription: `base` with the retry schedules that PubNub defines for some categories (rules PX-5 and
    /// PX-26). Overrides in `base` have precedence.
    ///
    /// - Parameters:
    ///   - base: `standard` or `fast`.
    ///   - seed: the seed of random pauses, so that clients that lost the service at the same time do not reconnect at the same time;
    ///     nil for fixed pauses.
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
        // The application has switched off the renewal of silent polls, so it wants no other requests while a poll is held. Then only the
        // answer to the poll shows that the connection works. The system's TCP keepalive detects a dead connection before the poll times
        // out (rule LV-18).
        if base.timing.renewal <= .zero, options.pollRenewal == nil {
            policy.timing.activity = max(base.timing.activity, options.pollTimeout)
        }
        policy.overrides = rows.merging(base.overrides) { _, chosen in chosen }
        return policy
    }

    /// The pauses before new attempts after a working service has become unreachable: first 0.5 to 5 s, then from a quarter of the longest
    /// pause up to the longest pause.
    ///
    /// When a server stops, it answers all polls at once. All clients then send their next poll at the same moment, and these polls fail.
    /// So the pause after this failure is drawn from a wider interval than usual, to spread the next attempts.
    private static func pausesAfterLoss(_ base: ConnectionPolicy) -> [ClosedRange<Duration>] {
        // The fast profile is for tests with few clients, whose attempts need not be spread.
        guard base.firstPause.server >= .seconds(1) else { return [] }
        let longest = base.cap / 3
        return [min(.milliseconds(500), longest)...min(.seconds(5), longest), (longest / 4)...longest]
    }
}
