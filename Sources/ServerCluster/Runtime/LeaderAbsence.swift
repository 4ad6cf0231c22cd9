import ServerValues

/// Whether calls are answered in time, although there may be no leader for a moment: a call waits for the next one.
package struct LeaderAbsence: Sendable {
    /// When a leader last answered requests; nil before any has.
    private var lastLed: MonotonicInstant?
    private let limit: Duration

    /// - Parameter limit: how long a call waits.
    package init(limit: Duration) {
        self.limit = limit
    }

    /// Call it about every 100 ms.
    ///
    /// - Parameter isLed: whether there is a leader that answers requests.
    /// - Returns: whether a call gets an answer: also for a while after the last leader, but not before the first one.
    package mutating func isBridged(_ isLed: Bool, at now: MonotonicInstant) -> Bool {
        guard !isLed else {
            lastLed = now
            return true
        }
        return lastLed.map { now.since($0) < limit } ?? false
    }
}
