import ServerValues

/// Determines whether calls of clients are answered in time. A short time without a leader does not count as an absence, because calls wait
/// for the next leader.
package struct LeaderAbsence: Sendable {
    /// The time at which a leader that answers requests was last known; nil if there was none yet.
    private var lastLed: MonotonicInstant?
    private let limit: Duration

    /// - Parameter limit: how long a client's call waits for a leader before it fails.
    package init(limit: Duration) {
        self.limit = limit
    }

    /// Returns whether calls of clients can expect an answer: a leader answers requests now, or the last leader did so such a short time
    /// ago that calls still wait for the next leader. Call this method about every 100 ms.
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
