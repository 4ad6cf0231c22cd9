/// A point in time on a monotonic clock.
///
/// Moments of one client can be compared and subtracted; they are unrelated to the time of day.
public struct Moment: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's origin. On Linux the runtime uses `CLOCK_MONOTONIC`.
    public var nanoseconds: Int64

    /// Creates a moment, for example in tests of your own code.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The clock's origin.
    public static let zero = Moment(nanoseconds: 0)

    public static func < (left: Moment, right: Moment) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The moment that is `duration` later. A result outside of the range of `Int64` nanoseconds becomes the nearest bound of the range.
    public static func + (moment: Moment, duration: Duration) -> Moment {
        let (sum, overflow) = moment.nanoseconds.addingReportingOverflow(duration.clampedNanoseconds)
        if overflow { return Moment(nanoseconds: duration < .zero ? .min : .max) }
        return Moment(nanoseconds: sum)
    }

    /// The time from `earlier` to this moment; negative when `earlier` is later.
    public func duration(since earlier: Moment) -> Duration {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        if overflow { return .nanoseconds(nanoseconds < earlier.nanoseconds ? Int64.min : Int64.max) }
        return .nanoseconds(difference)
    }

    /// Seconds since the origin of the monotonic clock.
    public var seconds: Double {
        Double(nanoseconds) / 1_000_000_000
    }
}

extension Duration {
    /// The duration in whole nanoseconds, clamped to the range of `Int64` (about 292 years).
    public var clampedNanoseconds: Int64 {
        let parts = components
        let (whole, overflow) = parts.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carried) = whole.addingReportingOverflow(parts.attoseconds / 1_000_000_000)
        if overflow || carried { return parts.seconds < 0 ? .min : .max }
        return sum
    }

    /// The duration in seconds, as a floating-point number.
    public var inSeconds: Double {
        let parts = components
        return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    }

    /// This duration, or the nearer bound of `range` when it lies outside of the range.
    public func clamped(to range: ClosedRange<Duration>) -> Duration {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
