import ServerValues

/// Determines whether a connection is alive from the bytes that it sends, including control frames (rule SP-12).
struct LivenessMonitor: Hashable, Sendable {
    enum Verdict: Hashable, Sendable {
        case alive
        /// Send one ping now.
        case ask
        case dead
    }

    private var heard: MonotonicInstant
    private var asked: MonotonicInstant?

    init(at now: MonotonicInstant) {
        heard = now
    }

    mutating func hear(at now: MonotonicInstant) {
        heard = now
        asked = nil
    }

    /// - Parameters:
    ///   - silence: the time without received bytes after which the server sends a ping.
    ///   - pongTimeout: how long the server then waits for received bytes.
    mutating func check(at now: MonotonicInstant, silence: Duration, pongTimeout: Duration) -> Verdict {
        if let asked { return now.since(asked) >= pongTimeout ? .dead : .alive }
        guard now.since(heard) >= silence else { return .alive }
        asked = now
        return .ask
    }
}
