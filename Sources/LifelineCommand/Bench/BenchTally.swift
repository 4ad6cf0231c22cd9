import ConnectionEngine
import NIOConcurrencyHelpers

/// The received messages of all subscribers. Any thread may add messages; several locks keep event loops from blocking each other.
final class BenchTally: Sendable {
    private struct Part {
        var histogram = LogLinearHistogram()
        /// When the latest message arrived at a subscriber whose messages are counted in this part.
        var latest = Moment(nanoseconds: 0)
    }

    private let parts: [NIOLockedValueBox<Part>] = (0..<16).map { _ in NIOLockedValueBox(Part()) }

    /// Adds the messages that a subscriber has received at `now`.
    ///
    /// - Parameter latencies: the latency of each message in nanoseconds.
    func add(_ latencies: [Int64], from subscriber: Int, at now: Moment) {
        parts[subscriber % parts.count].withLockedValue { part in
            for latency in latencies { part.histogram.add(latency) }
            part.latest = max(part.latest, now)
        }
    }

    /// How many messages have arrived, including repetitions.
    var count: Int { parts.reduce(0) { $0 + $1.withLockedValue(\.histogram.count) } }

    var total: (histogram: LogLinearHistogram, latest: Moment) {
        var histogram = LogLinearHistogram()
        var latest = Moment(nanoseconds: 0)
        for part in parts {
            part.withLockedValue { part in
                histogram.add(part.histogram)
                latest = max(latest, part.latest)
            }
        }
        return (histogram, latest)
    }
}
