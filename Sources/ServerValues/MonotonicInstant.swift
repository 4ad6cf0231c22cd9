/// A point on a monotonic clock, in nanoseconds since an origin that the owner of the clock chooses.
///
/// The server's state machines never read a clock: their callers pass the time to them.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
    /// The number of nanoseconds since the origin of the clock.
    public var nanoseconds: Int64

    /// Makes the instant that is `nanoseconds` after the origin of the clock.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The instant that is `seconds` after the origin of the clock.
    public static func seconds(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The instant after `duration`. A sum beyond the range of 64 bits becomes the end of that range.
    public func advanced(by duration: Duration) -> MonotonicInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return MonotonicInstant(nanoseconds: overflow ? (nanoseconds < 0 ? .min : .max) : sum)
    }

    /// The time from `earlier` to this instant, at most 292 years; negative when `earlier` is later.
    public func since(_ earlier: MonotonicInstant) -> Duration {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return .nanoseconds(overflow ? (nanoseconds < 0 ? .min : .max) : difference)
    }
}

extension Duration {
    /// The duration in nanoseconds, limited to 64 bits (292 years).
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, carried) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carried ? (seconds < 0 ? .min : .max) : sum
    }
}
