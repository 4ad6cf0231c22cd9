import ServerValues

/// Measures how long event loops take to answer a request, and counts the errors that they send to clients. The values are taken once a
/// second (rule CO-82).
struct LoopProbes: Sendable {
    private struct Probe: Sendable {
        /// The time of the request that the event loop has not answered; nil when it has answered every request.
        var asked: MonotonicInstant?
        /// The longest answer time since the last call of `take`.
        var longest = Duration.zero
        var errors = 0
    }

    private var probes: [Int: Probe] = [:]

    /// Records a request to an event loop, unless an earlier request to it is unanswered.
    ///
    /// - Returns: whether the caller must send the request.
    mutating func ask(_ loop: Int, at now: MonotonicInstant) -> Bool {
        guard probes[loop]?.asked == nil else { return false }
        probes[loop, default: Probe()].asked = now
        return true
    }

    /// Records the answer of an event loop.
    ///
    /// - Parameter errors: the number of errors that the event loop has sent to clients since the start.
    mutating func answer(_ loop: Int, errors: Int, at now: MonotonicInstant) {
        guard var probe = probes[loop], let asked = probe.asked else { return }
        probe.asked = nil
        probe.longest = max(probe.longest, now.since(asked))
        probe.errors = errors
        probes[loop] = probe
    }

    /// Returns the longest delay since the last call, including unanswered requests, and the number of all errors since the start.
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
