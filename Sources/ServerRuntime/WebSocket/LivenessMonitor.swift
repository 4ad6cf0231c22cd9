import ServerValues

/// Decides whether a connection is alive: received bytes, including control frames, prove it (rule SP-12).
struct LivenessMonitor: Hashable, Sendable {
    enum Verdict: Hashable, Sendable {
        case alive
        /// Nothing was received for too long: send one ping now.
        case ask
        case dead
    }

    /// The time when bytes were last received; after a ping, the time when the ping was sent.
    private var since: MonotonicInstant
    private var hasAsked = false

    init(at now: MonotonicInstant) {
        since = now
    }

    mutating func hear(at now: MonotonicInstant) {
        since = now
        hasAsked = false
    }

    /// - Parameters:
    ///   - silence: the time without received bytes after which the server sends a ping.
    ///   - pongTimeout: how long the server then waits for received bytes.
    mutating func check(at now: MonotonicInstant, silence: Duration, pongTimeout: Duration) -> Verdict {
        if hasAsked { return now.since(since) >= pongTimeout ? .dead : .alive }
        guard now.since(since) >= silence else { return .alive }
        (since, hasAsked) = (now, true)
        return .ask
    }
}
