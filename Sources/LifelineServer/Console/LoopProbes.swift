import ServerValues

/// How long event loops take to answer, and how many errors they have sent: a value that is read once a second (rule CO-82).
struct LoopProbes: Sendable {
    private struct Probe: Sendable {
        /// When the question was put that is not answered yet.
        var asked: MonotonicInstant?
        /// The longest time that an answer took since the last call of `take`.
        var longest = Duration.zero
        var errors = 0
    }

    private var probes: [Int: Probe] = [:]

    /// Records a request to a loop. A loop with an unanswered request is not asked again.
    ///
    /// - Returns: whether to ask it.
    mutating func ask(_ loop: Int, at now: MonotonicInstant) -> Bool {
        guard probes[loop]?.asked == nil else { return false }
        probes[loop, default: Probe()].asked = now
        return true
    }

    /// Notes the answer of a loop.
    ///
    /// - Parameter errors: that it has told since the start.
    mutating func answer(_ loop: Int, errors: Int, at now: MonotonicInstant) {
        guard var probe = probes[loop], let asked = probe.asked else { return }
        probe.asked = nil
        probe.longest = max(probe.longest, now.since(asked))
        probe.errors = errors
        probes[loop] = probe
    }

    /// The longest delay since the last call, with loops that still owe an answer, and all errors.
    mutating func take(at now: MonotonicInstant) -> (delay: Duration, errors: Int) {
        var (delay, errors) = (Duration.zero, 0)
        for (loop, probe) in probes {
            delay = max(delay, probe.longest, probe.asked.map { now.since($0) } ?? .zero)
            errors += probe.errors
            probes[loop]?.longest = .zero
        }
        return (delay, errors)
    }
}
