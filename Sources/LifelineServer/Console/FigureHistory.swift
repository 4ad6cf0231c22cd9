import ServerValues

/// The history of metrics for charts over the last five minutes, hour, six hours and day. Its size is bounded (rules CO-31 and CO-81).
///
/// Each span has its own step length. Together there are 1,308 steps of 48 bytes: 63 KB, however long the server runs.
struct FigureHistory: Sendable {
    /// Metrics at one moment. Counters count since the start.
    struct Sample: Hashable, Sendable {
        /// The number of messages that clients and programs sent to the server: a counter.
        var messages = 0
        /// The number of messages that were sent to clients: a counter.
        var deliveries = 0
        /// The number of refused connections and requests, and of errors sent to clients: a counter.
        var errors = 0
        var connections = 0
        /// The longest time that an event loop took to answer since the previous sample.
        var delay = Duration.zero
    }

    /// The time span of a chart.
    enum Span: String, CaseIterable, Hashable, Sendable {
        case fiveMinutes = "5m"
        case hour = "1h"
        case sixHours = "6h"
        case day = "24h"

        /// The length in seconds of a step, the time that one point of the chart covers.
        var step: Int64 {
            switch self {
            case .fiveMinutes: 1
            case .hour: 10
            case .sixHours: 60
            case .day: 300
            }
        }

        /// The number of steps in the span, and so of points in its chart.
        var count: Int {
            switch self {
            case .fiveMinutes: 300
            case .hour, .sixHours: 360
            case .day: 288
            }
        }
    }

    /// The values of one step of a chart. Counters are averages per second, other values are the maximum within the step.
    struct Point: Hashable, Sendable {
        var messages: Double
        var deliveries: Double
        var errors: Double
        var connections: Int
        var delay: Duration
    }

    /// The shortest time between two samples.
    static let interval = Duration.seconds(1)

    private var rings = Dictionary(uniqueKeysWithValues: Span.allCases.map { ($0, StepRing($0)) })
    private var last: (at: MonotonicInstant, sample: Sample)?
    /// Messages and deliveries per second, between the last two samples.
    private(set) var rates = (messages: 0.0, deliveries: 0.0)

    /// Whether the next sample is due.
    func isDue(at now: MonotonicInstant) -> Bool { last.map { now.since($0.at) >= Self.interval } ?? true }

    /// Adds a sample. The increase of each counter is spread evenly over the time since the previous sample.
    mutating func add(_ sample: Sample, at now: MonotonicInstant) {
        defer { last = (now, sample) }
        guard let last, now > last.at else { return }
        let seconds = now.since(last.at) / .seconds(1)
        // A counter may decrease when a service is missing for a moment. Its rate must not become negative.
        func rate(_ counter: KeyPath<Sample, Int>) -> Double {
            max(Double(sample[keyPath: counter]) - Double(last.sample[keyPath: counter]), 0) / seconds
        }
        let point = Point(
            messages: rate(\.messages), deliveries: rate(\.deliveries), errors: rate(\.errors),
            connections: sample.connections, delay: max(sample.delay, .zero))
        rates = (point.messages, point.deliveries)
        for span in Span.allCases { rings[span]?.add(point, from: last.at, to: now) }
    }

    /// The steps of a span up to now, the latest last; nil for steps without data. The last step is still incomplete.
    func points(of span: Span, at now: MonotonicInstant) -> [Point?] {
        rings[span]?.points(at: now) ?? []
    }

    /// The time since the start of the last step of a span. That step is still incomplete.
    static func age(ofLastStep span: Span, at now: MonotonicInstant) -> Duration {
        .nanoseconds(now.nanoseconds - StepRing.step(of: now, span) * span.step * 1_000_000_000)
    }
}

/// A ring buffer with the values of the last steps of a span.
private struct StepRing: Sendable {
    /// Sums over the seconds of one step for which there are data.
    private struct Step: Sendable {
        /// The number of seconds with data; 0 for a step without data.
        var known = 0.0
        var messages = 0.0
        var deliveries = 0.0
        var errors = 0.0
        var connections = 0
        var delay: Int64 = 0
    }

    private let span: FigureHistory.Span
    private var steps: [Step]
    /// The number of the latest step to which a sample was added.
    private var latest = Int64.min

    init(_ span: FigureHistory.Span) {
        self.span = span
        steps = Array(repeating: Step(), count: span.count)
    }

    /// The number of the step that contains a moment. Steps are numbered from the origin of the clock.
    static func step(of instant: MonotonicInstant, _ span: FigureHistory.Span) -> Int64 {
        let length = span.step * 1_000_000_000
        let quotient = instant.nanoseconds / length
        return instant.nanoseconds % length < 0 ? quotient - 1 : quotient
    }

    private func place(_ step: Int64) -> Int {
        let rest = Int(step % Int64(span.count))
        return rest < 0 ? rest + span.count : rest
    }

    mutating func add(_ point: FigureHistory.Point, from start: MonotonicInstant, to end: MonotonicInstant) {
        let length = Double(span.step)
        // A sample that ends exactly at the start of a step belongs to the step before it.
        let final = Self.step(of: MonotonicInstant(nanoseconds: end.nanoseconds - 1), span)
        let first = max(Self.step(of: start, span), final - Int64(span.count) + 1)
        for step in first...final {
            let place = place(step)
            if step > latest { forget(through: step) }
            let begin = MonotonicInstant(nanoseconds: step * span.step * 1_000_000_000)
            let before = max(start.since(begin) / .seconds(1), 0)
            let seconds = min(end.since(begin) / .seconds(1), length) - before
            guard seconds > 0 else { continue }
            steps[place].known += seconds
            steps[place].messages += point.messages * seconds
            steps[place].deliveries += point.deliveries * seconds
            steps[place].errors += point.errors * seconds
            steps[place].connections = max(steps[place].connections, point.connections)
            steps[place].delay = max(steps[place].delay, point.delay.wholeNanoseconds)
        }
    }

    /// Clears the steps after the latest step with a sample, up to and including `step`. Their places in the ring still have values of
    /// older steps.
    private mutating func forget(through step: Int64) {
        let first = max(latest == .min ? step : latest + 1, step - Int64(span.count) + 1)
        for missed in first...step { steps[place(missed)] = Step() }
        latest = step
    }

    func points(at now: MonotonicInstant) -> [FigureHistory.Point?] {
        let current = Self.step(of: now, span)
        return (0..<Int64(span.count)).map { index in
            let number = current - Int64(span.count) + 1 + index
            guard latest != .min, number <= latest, number > latest - Int64(span.count) else { return nil }
            let step = steps[place(number)]
            guard step.known > 0 else { return nil }
            return FigureHistory.Point(
                messages: step.messages / step.known, deliveries: step.deliveries / step.known,
                errors: step.errors / step.known, connections: step.connections, delay: .nanoseconds(step.delay))
        }
    }
}
