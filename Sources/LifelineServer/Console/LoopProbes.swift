import ServerValues

/// Measures how long event loops take to answer, and counts their errors: a value that is read once a second (rule CO-82).
struct LoopProbes: Sendable {
    private struct Probe: Sendable {
        /// When the unanswered request was sent; nil without one.
        var asked: MonotonicInstant?
        /// The longest answer time since the last call of `take`.
        var longest = Duration.zero
        var errors = 0
    }

    private var probes: [Int: Probe] = [:]

    /// Records a request to an event loop. An event loop with an unanswered request gets no further one.
    ///
    /// - Returns: whether to send the request.
    mutating func ask(_ loop: Int, at now: MonotonicInstant) -> Bool {
        guard probes[loop]?.asked == nil else { return false }
        probes[loop, default: Probe()].asked = now
        return true
    }

    /// Records the answer of an event loop.
    ///
    /// - Parameter errors: the number of errors that it has sent since the start.
    mutating func answer(_ loop: Int, errors: Int, at now: MonotonicInstant) {
        guard var probe = probes[loop], let asked = probe.asked else { return }
        probe.asked = nil
        probe.longest = max(probe.longest, now.since(asked))
        probe.errors = errors
        probes[loop] = probe
    }

    /// The longest delay since the last call, including unanswered requests, and the number of all errors.
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
