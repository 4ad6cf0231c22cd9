/// Counts of durations in buckets whose width grows with the duration: no percentile is more than 1.6 % too large.
struct LogLinearHistogram: Sendable {
    /// The number of buckets for each power of two.
    private static let parts = 64
    private static let shift = 6

    private var counts = [Int](repeating: 0, count: (64 - shift) * parts)
    private(set) var count = 0
    /// The longest of the added durations, exactly, in nanoseconds.
    private(set) var maximum: Int64 = 0

    /// - Parameter nanoseconds: negative values count as 0.
    mutating func add(_ nanoseconds: Int64) {
        let value = max(nanoseconds, 0)
        counts[Self.bucket(of: value)] += 1
        count += 1
        maximum = max(maximum, value)
    }

    mutating func add(_ other: LogLinearHistogram) {
        for (index, number) in other.counts.enumerated() where number > 0 { counts[index] += number }
        count += other.count
        maximum = max(maximum, other.maximum)
    }

    /// A percentile of the durations, in nanoseconds; nil when no duration was added.
    ///
    /// - Parameter share: 0.5 for the median, 0.99 for the 99th percentile.
    func percentile(_ share: Double) -> Int64? {
        guard count > 0 else { return nil }
        let rank = max(1, Int((share * Double(count)).rounded(.up)))
        var seen = 0
        for (index, number) in counts.enumerated() where number > 0 {
            seen += number
            if seen >= rank { return min(Self.upperBound(ofBucket: index), maximum) }
        }
        return maximum
    }

    /// The index of the bucket for a value. Each value below `parts` has a bucket of its own.
    static func bucket(of value: Int64) -> Int {
        guard value >= parts else { return Int(value) }
        let exponent = Int64.bitWidth - 1 - value.leadingZeroBitCount
        let part = Int(value >> Int64(exponent - shift)) - parts
        return (exponent - shift + 1) * parts + part
    }

    static func upperBound(ofBucket index: Int) -> Int64 {
        guard index >= parts else { return Int64(index) }
        let (octave, part) = index.quotientAndRemainder(dividingBy: parts)
        let width = Int64(octave - 1)
        // The last bucket ends at the largest 64-bit number, so the sum overflows and the subtraction wraps back.
        return ((Int64(parts + part) + 1) << width) &- 1
    }
}
