import ServerValues

/// When a leader that answers many requests may begin its next batch (rule CR-102). A value.
///
/// A batch costs the store and every node about the same however much is in it. With few requests each goes at once; with many, a batch waits
/// until there are several.
package struct BatchPace: Sendable {
    /// The number of answered requests within ``window`` from which on the leader waits.
    package var busyRequests = 200
    package var window: Duration = .milliseconds(100)
    /// The time between the beginnings of two batches while the leader is busy.
    package var pause: Duration = .microseconds(500)

    private var windowStart: MonotonicInstant?
    private var requests = 0
    private var isBusy = false
    private var lastBegan: MonotonicInstant?

    package init() {}

    /// Records that a batch begins.
    package mutating func began(requests count: Int, at now: MonotonicInstant) {
        lastBegan = now
        guard let start = windowStart, now.since(start) < window else {
            isBusy = windowStart.map { now.since($0) < window * 2 } == true && requests >= busyRequests
            (windowStart, requests) = (now, count)
            return
        }
        requests += count
    }

    /// How long the next batch has to wait; nil if it may begin.
    package func rest(at now: MonotonicInstant) -> Duration? {
        guard isBusy, let lastBegan else { return nil }
        let rest = pause - now.since(lastBegan)
        return rest > .zero ? min(rest, pause) : nil
    }
}
