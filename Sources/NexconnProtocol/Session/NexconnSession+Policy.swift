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
    ///     ``NexconnSession/networkChanged(_:policy:failures:)``.
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

    /// The same policy, with pauses that start anew after this number of failures in a row.
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

// The inputs that an owner submits, in this order, when the network changes: pauses start anew with a policy that does not count
// earlier failures (rule NS-31).
extension NexconnSession {
    /// The application is back in the foreground: a connection that was closed is dialled at once, and the pauses start anew (rule
    /// NS-33).
    /// - Parameter policy: the one in use.
    public static func returning(_ policy: ConnectionPolicy) -> [Input<NexconnSession>] {
        [.updatePolicy(policy.forgiving(0)), .leaveBackground]
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
