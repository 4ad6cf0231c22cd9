import ConnectionEngine

extension ConnectionPolicy {
    /// The longest pauses before the first, second … retry; the last one repeats. Vendor's page on reconnecting.
    public static let nexconnPauses: [Duration] = [
        .milliseconds(50), .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8),
        .seconds(16), .seconds(32), .seconds(64),
    ]

    /// The policy of a chat connection (rules NS-30 to NS-32): the vendor's pauses, each drawn from a quarter of it up to all of it.
    ///
    /// A restart of the server, and one that has too much to do, keep the table's schedules, so that the clients of a server that
    /// comes back do not all come within 0.05 s. A proxy that does not work is final, as with the vendor.
    /// - Parameters:
    ///   - cap: the longest pause; nil for 64 s, or 3 s with the timing for tests.
    ///   - failures: how many failures in a row happened before the network changed and do not count any more, see
    ///     ``NexconnSession/returning(_:failures:)``.
    public static func nexconn(
        timing: ConnectionTiming = .standard, cap: Duration? = nil, forgiving failures: Int = 0
    ) -> ConnectionPolicy {
        let isFast = timing == .fast
        let cap = cap ?? (isFast ? .seconds(3) : .seconds(64))
        var policy = isFast ? ConnectionPolicy.fast : .standard
        policy.timing = timing
        policy.cap = cap
        policy.overrides = [.proxyUnavailable: .never]
        policy.ordinary = .spread(
            nexconnPauses.map { min($0, cap) }, forgiving: failures, afterLoss: isFast ? [] : nexconnPausesAfterLoss(cap: cap))
        return policy
    }

    /// The same policy, with the pauses started anew after so many failures in a row.
    func forgiving(_ failures: Int) -> ConnectionPolicy {
        guard case .spread(let pauses, _, let afterLoss) = ordinary else { return self }
        var policy = self
        policy.ordinary = .spread(pauses, forgiving: failures, afterLoss: afterLoss)
        return policy
    }

    /// The pauses after the loss of a working link: up to 3 s, then from 1 s up to 8, 16, 32 and 64 s. The vendor's first pauses
    /// would bring back all clients of a server that was killed within 0.05 s.
    private static func nexconnPausesAfterLoss(cap: Duration) -> [ClosedRange<Duration>] {
        let least = min(.seconds(1), cap)
        return [.zero...min(.seconds(3), cap)] + [8, 16, 32, 64].map { least...min(.seconds($0), cap) }
    }
}

// What an owner submits, in this order, when the surroundings change. The engine's own inputs do it: a link that is given up for a
// while is one without a route, and pauses start anew with a policy that does not count what was before (rules NS-31 and NS-33).
extension NexconnSession {
    /// The application goes to the background: ends the link, or the attempt as soon as it is open, and keeps outbox, place and
    /// open channels. The engine announces `suspended`; until ``returning(_:failures:)`` news of the network must not be submitted.
    public static func suspending(_ policy: ConnectionPolicy) -> [Input<NexconnSession>] {
        var policy = policy
        // The slow timer of the phase has to be slower than any application stays away.
        policy.cap = .seconds(31_536_000)
        return [.updatePolicy(policy), .networkChanged(.unavailable), .perform(.suspend, nil)]
    }

    /// The application is back: tries at once, and the pauses start anew.
    /// - Parameters:
    ///   - policy: the one in use before ``suspending(_:)``.
    ///   - failures: ``ConnectionSnapshot/failedAttempts`` now.
    public static func returning(_ policy: ConnectionPolicy, failures: Int) -> [Input<NexconnSession>] {
        [.updatePolicy(policy.forgiving(failures)), .perform(.resume, nil), .networkChanged(.available)]
    }

    /// News of the network. A route, or another one, starts the pauses anew and ends waiting at once.
    /// - Parameters:
    ///   - policy: the one in use.
    ///   - failures: ``ConnectionSnapshot/failedAttempts`` now.
    public static func networkChanged(
        _ status: NetworkStatus, policy: ConnectionPolicy, failures: Int
    ) -> [Input<NexconnSession>] {
        switch status {
        case .available: [.updatePolicy(policy.forgiving(failures)), .networkChanged(.available)]
        case .unavailable: [.networkChanged(.unavailable)]
        }
    }
}
