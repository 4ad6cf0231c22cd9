import ConnectionEngine

extension ConnectionPolicy {
    /// The longest pauses before the first, second and later retries; the last one repeats. From the vendor's page on reconnecting.
    public static let chatPauses: [Duration] = [
        .milliseconds(50), .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8),
        .seconds(16), .seconds(32), .seconds(64),
    ]

    /// The reconnect policy of a chat connection (rules NS-30 to NS-32). Each pause is drawn at random between a quarter of the vendor's
    /// pause and the whole pause.
    ///
    /// After a restart or an overload of the server, the pauses of the engine's retry table apply, so that the clients of a restarted
    /// server do not all reconnect within 0.05 s. A proxy failure is final, as in the vendor's SDK.
    /// - Parameters:
    ///   - cap: the longest pause; nil for 64 s, or for 3 s with the timing for tests.
    ///   - failures: the number of consecutive failures before the last change of the network. They are not counted any more, see
    ///     ``ChatSession/networkChanged(_:policy:failures:)``.
    public static func chat(
        timing: ConnectionTiming = .standard, cap: Duration? = nil, forgiving failures: Int = 0
    ) -> ConnectionPolicy {
        let isFast = timing == .fast
        let cap = cap ?? (isFast ? .seconds(3) : .seconds(64))
        var policy = isFast ? ConnectionPolicy.fast : .standard
        policy.timing = timing
        policy.cap = cap
        policy.overrides = [.proxyUnavailable: .never]
        policy.ordinary = .spread(
            chatPauses.map { min($0, cap) }, forgiving: failures, afterLoss: isFast ? [] : chatPausesAfterLoss(cap: cap))
        return policy
    }

    /// This policy, with pauses that ignore the first `failures` consecutive failures.
    func forgiving(_ failures: Int) -> ConnectionPolicy {
        guard case .spread(let pauses, _, let afterLoss) = ordinary else { return self }
        var policy = self
        policy.ordinary = .spread(pauses, forgiving: failures, afterLoss: afterLoss)
        return policy
    }

    /// The pauses after the loss of a working connection: up to 3 s, then from 1 s up to 8, 16, 32 and 64 s. With the vendor's first
    /// pauses, all clients of a killed server would reconnect within 0.05 s.
    private static func chatPausesAfterLoss(cap: Duration) -> [ClosedRange<Duration>] {
        let least = min(.seconds(1), cap)
        return [.zero...min(.seconds(3), cap)] + [8, 16, 32, 64].map { least...min(.seconds($0), cap) }
    }
}

// The inputs that the owner of a session submits, in this order, when the network changes. The pauses between connection attempts then
// begin with the shortest one again, because the new policy does not count earlier failures (rule NS-31).
extension ChatSession {
    /// The inputs for the return to the foreground: a closed connection is opened again at once, and the pauses restart (rule NS-33).
    /// - Parameter policy: the policy in use.
    public static func returning(_ policy: ConnectionPolicy) -> [Input<ChatSession>] {
        [.updatePolicy(policy.forgiving(0)), .leaveBackground]
    }

    /// The inputs for a change of the network. A new or changed route restarts the pauses and ends a wait at once.
    /// - Parameters:
    ///   - policy: the policy in use.
    ///   - failures: the present ``ConnectionSnapshot/failedAttempts``.
    public static func networkChanged(
        _ status: NetworkStatus, policy: ConnectionPolicy, failures: Int
    ) -> [Input<ChatSession>] {
        switch status {
        case .available: [.updatePolicy(policy.forgiving(failures)), .networkChanged(.available)]
        case .unavailable: [.networkChanged(.unavailable)]
        }
    }
}
