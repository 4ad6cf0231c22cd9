/// A histogram of durations, in buckets with fixed bounds.
package struct LatencyHistogram: Hashable, Sendable {
    /// The upper bounds of the buckets, in nanoseconds, with their labels in seconds in the format of Prometheus. One more bucket, without
    /// a bound, follows.
    package static let bounds: [(nanoseconds: Int64, label: String)] = [
        (100_000, "0.0001"), (250_000, "0.00025"), (500_000, "0.0005"), (1_000_000, "0.001"), (2_500_000, "0.0025"),
        (5_000_000, "0.005"), (10_000_000, "0.01"), (25_000_000, "0.025"), (50_000_000, "0.05"), (100_000_000, "0.1"),
        (250_000_000, "0.25"), (500_000_000, "0.5"), (1_000_000_000, "1.0"), (2_500_000_000, "2.5"),
        (5_000_000_000, "5.0"), (10_000_000_000, "10.0"),
    ]

    /// One count for each bound, and a last one for longer durations. The counts are not cumulative.
    package private(set) var counts = ContiguousArray(repeating: 0, count: bounds.count + 1)
    package private(set) var nanoseconds: Int64 = 0

    package init() {}

    package var count: Int { counts.reduce(0, +) }

    /// Adds a duration in nanoseconds. A negative duration counts as zero.
    package mutating func observe(nanoseconds time: Int64) {
        var bucket = 0
        while bucket < Self.bounds.count, time > Self.bounds[bucket].nanoseconds { bucket += 1 }
        counts[bucket] += 1
        nanoseconds += max(time, 0)
    }

    package mutating func add(_ other: LatencyHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        nanoseconds += other.nanoseconds
    }
}
