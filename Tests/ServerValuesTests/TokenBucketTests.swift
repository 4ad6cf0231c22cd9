import ServerValues
import Testing

@Suite("Rate limit as a value (HB-8, HB-9)")
struct TokenBucketTests {
    private func taken(_ bucket: inout TokenBucket, tries: Int, at now: MonotonicInstant) -> Int {
        (0..<tries).count { _ in bucket.take(perSecond: 10, burst: 10, at: now) }
    }

    @Test("Allows a full second's worth at once, then refuses")
    func burst() {
        var bucket = TokenBucket(burst: 10, at: .seconds(0))
        #expect(taken(&bucket, tries: 12, at: .seconds(0)) == 10)
    }

    @Test("Refills steadily and loses no fraction of a token")
    func refill() {
        var bucket = TokenBucket(burst: 10, at: .seconds(0))
        _ = taken(&bucket, tries: 10, at: .seconds(0))
        #expect(taken(&bucket, tries: 1, at: MonotonicInstant(nanoseconds: 99_999_999)) == 0)
        #expect(taken(&bucket, tries: 2, at: MonotonicInstant(nanoseconds: 100_000_000)) == 1)
        #expect(taken(&bucket, tries: 20, at: .seconds(1)) == 9)
    }

    @Test("Never holds more than a burst, however long it rests")
    func capacity() {
        var bucket = TokenBucket(burst: 10, at: .seconds(0))
        #expect(taken(&bucket, tries: 30, at: MonotonicInstant(nanoseconds: .max)) == 10)
    }

    @Test("A clock that goes back refills nothing")
    func clockBack() {
        var bucket = TokenBucket(burst: 10, at: .seconds(100))
        _ = taken(&bucket, tries: 10, at: .seconds(100))
        #expect(taken(&bucket, tries: 3, at: .seconds(50)) == 0)
        #expect(taken(&bucket, tries: 3, at: .seconds(100)) == 0)
    }

    @Test("Several tokens at once come together or not at all, with the time to wait for them")
    func several() {
        var bucket = TokenBucket(burst: 10, at: .seconds(0))
        func take(_ count: Int, at now: MonotonicInstant) -> Duration { bucket.take(count, perSecond: 10, burst: 10, at: now) }
        #expect(take(6, at: .seconds(0)) == .zero)
        #expect(take(6, at: .seconds(0)) == .milliseconds(200))
        #expect(take(4, at: .seconds(0)) == .zero)
        #expect(take(0, at: .seconds(0)) == .zero)
        #expect(take(1, at: .seconds(0)) == .milliseconds(100))
    }

    @Test("More than a burst is given to a full bucket and owed, so that the rate stays what it is")
    func debt() {
        var bucket = TokenBucket(burst: 10, at: .seconds(0))
        func take(_ count: Int, at now: MonotonicInstant) -> Duration { bucket.take(count, perSecond: 10, burst: 10, at: now) }
        #expect(take(100, at: .seconds(0)) == .zero)
        #expect(take(1, at: .seconds(0)) == .milliseconds(9_100))
        #expect(take(1, at: .seconds(9)) == .milliseconds(100))
        #expect(take(100, at: .seconds(9)) == .seconds(1))
        #expect(take(10, at: .seconds(10)) == .zero)
        var none = TokenBucket(burst: 0, at: .seconds(0))
        #expect(none.take(1, perSecond: 0, burst: 0, at: .seconds(5)) == .seconds(86_400))
    }

    @Test("Limits of zero and below refuse everything")
    func zero() {
        var bucket = TokenBucket(burst: -1, at: .seconds(0))
        let allowed = bucket.take(perSecond: -5, burst: -1, at: .seconds(1000))
        #expect(!allowed)
    }

    @Test("Instants at the end of the clock do not overflow")
    func saturation() {
        #expect(MonotonicInstant(nanoseconds: .max - 1).advanced(by: .seconds(1)) == MonotonicInstant(nanoseconds: .max))
        #expect(MonotonicInstant.seconds(1).advanced(by: .seconds(Int64.max)) == MonotonicInstant(nanoseconds: .max))
        #expect(MonotonicInstant.seconds(3).since(.seconds(1)) == .seconds(2))
    }
}
