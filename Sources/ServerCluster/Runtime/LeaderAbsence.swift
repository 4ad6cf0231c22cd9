import ServerValues

/// Determines whether calls are answered in time. A short time without a leader does not count, because calls wait for the next leader.
package struct LeaderAbsence: Sendable {
    /// The time when there was last a leader that answers requests; nil if there was none yet.
    private var lastLed: MonotonicInstant?
    private let limit: Duration

    /// - Parameter limit: how long a call waits for a leader.
    package init(limit: Duration) {
        self.limit = limit
    }

    /// Returns whether a call gets an answer: there is a leader, or there was one less than the limit ago. Call it about every 100 ms.
    ///
    /// - Parameter isLed: whether there is a leader that answers requests.
    package mutating func isBridged(_ isLed: Bool, at now: MonotonicInstant) -> Bool {
        guard !isLed else {
            lastLed = now
            return true
        }
        return lastLed.map { now.since($0) < limit } ?? false
    }
}
