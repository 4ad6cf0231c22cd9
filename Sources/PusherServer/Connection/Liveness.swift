import RealtimeHub

/// Whether a connection is alive, by what it sends: any byte counts, control frames included (rule SP-12).
///
/// A client is asked only after it had time to ask by itself, so that one which answers no `pusher:ping` is never cut for that.
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
    ///   - activityTimeout: the silence after which the client asks.
    ///   - pongTimeout: the margin after which the server asks, and again what it waits for an answer.
    mutating func check(at now: MonotonicInstant, activityTimeout: Duration, pongTimeout: Duration) -> Verdict {
        if let asked { return now.since(asked) >= pongTimeout ? .dead : .alive }
        guard now.since(heard) >= activityTimeout + pongTimeout else { return .alive }
        asked = now
        return .ask
    }
}
