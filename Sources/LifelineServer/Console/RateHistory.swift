import ServerValues

/// What a server did in each of the last minutes' seconds, for curves: a value of bounded size.
struct RateHistory: Sendable {
    /// Counters since the start, as they are at one moment.
    struct Sample: Hashable, Sendable {
        var sent = 0
        var received = 0
        var connections = 0
    }

    /// Rates are messages in a second.
    struct Point: Hashable, Sendable {
        var sent: Double
        var received: Double
        var connections: Int
    }

    static let capacity = 300
    static let interval = Duration.seconds(1)

    private(set) var points: [Point] = []
    private var last: (at: MonotonicInstant, sample: Sample)?

    /// Whether a second is over.
    func isDue(at now: MonotonicInstant) -> Bool { last.map { now.since($0.at) >= Self.interval } ?? true }

    mutating func add(_ sample: Sample, at now: MonotonicInstant) {
        defer { last = (now, sample) }
        guard let last else { return }
        let seconds = max(now.since(last.at) / .seconds(1), 0.001)
        if points.count >= Self.capacity { points.removeFirst(points.count - Self.capacity + 1) }
        // Counters of a service that was left out for a moment must not look like messages taken back.
        points.append(
            Point(
                sent: max(Double(sample.sent - last.sample.sent) / seconds, 0),
                received: max(Double(sample.received - last.sample.received) / seconds, 0), connections: sample.connections))
    }
}
