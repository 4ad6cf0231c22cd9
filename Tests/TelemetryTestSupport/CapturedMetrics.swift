import Metrics
import NIOConcurrencyHelpers

/// Metrics that a test can read: what was counted and timed, by name and labels.
public final class CapturedMetrics: MetricsFactory, Sendable {
    private let counts = NIOLockedValueBox<[String: Int64]>([:])
    private let times = NIOLockedValueBox<[String: [Int64]]>([:])

    public init() {}

    /// What a counter has come to; labels are written as `name{service=pusher,category=timeout}`.
    public func count(_ name: String) -> Int64 { counts.withLockedValue { $0[name] ?? 0 } }

    /// What a timer was told, in nanoseconds.
    public func durations(_ name: String) -> [Int64] { times.withLockedValue { $0[name] ?? [] } }

    /// Everything that has a value.
    public var names: Set<String> {
        Set(counts.withLockedValue { Array($0.keys) }).union(times.withLockedValue { Array($0.keys) })
    }

    private static func name(_ label: String, _ dimensions: [(String, String)]) -> String {
        "\(label){\(dimensions.map { "\($0)=\($1)" }.joined(separator: ","))}"
    }

    private final class Cell: CounterHandler, TimerHandler, RecorderHandler {
        let onValue: @Sendable (Int64) -> Void

        init(_ onValue: @escaping @Sendable (Int64) -> Void) {
            self.onValue = onValue
        }

        func increment(by amount: Int64) { onValue(amount) }
        func reset() {}
        func recordNanoseconds(_ duration: Int64) { onValue(duration) }
        func record(_ value: Int64) { onValue(value) }
        func record(_ value: Double) { onValue(Int64(value)) }
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let name = Self.name(label, dimensions)
        return Cell { [counts] amount in counts.withLockedValue { $0[name, default: 0] += amount } }
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        let name = Self.name(label, dimensions)
        return Cell { [times] duration in times.withLockedValue { $0[name, default: []].append(duration) } }
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Cell { _ in }
    }

    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}
}
