import ServerCluster
import ServerValues
import Testing

@Suite struct BatchPaceTests {
    private let start = MonotonicInstant.seconds(1_000)

    /// Batches with answers to this many requests each millisecond.
    private func pace(requests: Int, milliseconds: Int) -> (pace: BatchPace, end: MonotonicInstant) {
        var (pace, now) = (BatchPace(), start)
        for _ in 0..<milliseconds {
            now = now.advanced(by: .milliseconds(1))
            pace.began(requests: requests, at: now)
        }
        return (pace, now)
    }

    @Test func `CR-102: with few requests a batch begins at once`() {
        #expect(BatchPace().rest(at: start) == nil)
        let (pace, end) = pace(requests: 1, milliseconds: 300)
        #expect(pace.rest(at: end) == nil)
    }

    @Test func `CR-102: with many, batches begin half a millisecond apart`() {
        let (early, first) = pace(requests: 3, milliseconds: 50)
        #expect(early.rest(at: first) == nil)
        var (pace, end) = pace(requests: 3, milliseconds: 300)
        #expect(pace.rest(at: end) == .microseconds(500))
        #expect(pace.rest(at: end.advanced(by: .microseconds(400))) == .microseconds(100))
        #expect(pace.rest(at: end.advanced(by: .microseconds(500))) == nil)
        // A clock that is read too early never makes the wait longer.
        #expect(pace.rest(at: start) == .microseconds(500))
        // After a pause the number of before does not count.
        let later = end.advanced(by: .seconds(1))
        pace.began(requests: 1, at: later)
        #expect(pace.rest(at: later) == nil)
    }
}
