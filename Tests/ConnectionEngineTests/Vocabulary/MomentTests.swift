import ConnectionEngine
import Testing

@Suite struct MomentTests {
    @Test func `Moments saturate instead of overflowing`() {
        let end = Moment(nanoseconds: .max)
        #expect(end + .seconds(1) == end)
        #expect(Moment(nanoseconds: .min) + .seconds(-1) == Moment(nanoseconds: .min))
        #expect(end.duration(since: Moment(nanoseconds: .min)) == .nanoseconds(Int64.max))
    }

    @Test func `A duration too long for 64 bits is clamped`() {
        #expect(Duration.seconds(Int64.max).clampedNanoseconds == .max)
        #expect(Duration.seconds(Int64.min).clampedNanoseconds == .min)
        #expect(Duration.milliseconds(1500).clampedNanoseconds == 1_500_000_000)
        #expect(Duration.milliseconds(1500).inSeconds == 1.5)
    }
}
