import ServerValues

/// Determines when a leader with many requests may begin its next batch (rule CR-102). A value.
///
/// Each batch costs the store and every node about the same, whatever its size. With few requests, each request gets a batch at once. With
/// many requests, a batch waits for a short time, so that it contains several of them.
package struct BatchPace: Sendable {
    /// If the leader has answered this number of requests within ``window``, it counts as busy, and its batches have to wait.
    package var busyRequests = 200
    package var window: Duration = .milliseconds(100)
    /// The shortest time between the beginnings of two batches while there are many requests.
    package var pause: Duration = .microseconds(500)

    private var windowStart: MonotonicInstant?
    private var requests = 0
    private var isBusy = false
    private var lastBegan: MonotonicInstant?

    package init() {}

    /// Records that a batch with the answers to `count` requests begins.
    package mutating func began(requests count: Int, at now: MonotonicInstant) {
        lastBegan = now
        guard let start = windowStart, now.since(start) < window else {
            isBusy = windowStart.map { now.since($0) < window * 2 } == true && requests >= busyRequests
            (windowStart, requests) = (now, count)
            return
        }
        requests += count
    }

    /// Returns how long the next batch has to wait; nil if it may begin now.
    package func rest(at now: MonotonicInstant) -> Duration? {
        guard isBusy, let lastBegan else { return nil }
        let rest = pause - now.since(lastBegan)
        return rest > .zero ? min(rest, pause) : nil
    }
}
