import ServerValues

/// Whether a connection is alive, by what it sends: any byte counts, control frames included (rule SP-12).
struct Liveness: Hashable, Sendable {
    enum Verdict: Hashable, Sendable {
        case alive
        /// Ask now, once.
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
    ///   - silence: the silence after which the server asks.
    ///   - pongTimeout: how long the server then waits for an answer.
    mutating func check(at now: MonotonicInstant, silence: Duration, pongTimeout: Duration) -> Verdict {
        if let asked { return now.since(asked) >= pongTimeout ? .dead : .alive }
        guard now.since(heard) >= silence else { return .alive }
        asked = now
        return .ask
    }
}
