import ConnectionEngine
import EngineRuntime
import EngineTesting
import NIOConcurrencyHelpers

/// The manual clock for clients, which advances by a nanosecond with each delivery.
///
/// The engine accepts an answer to a probe only when it is later than the probe, which is always true on a real clock.
final class TestClock: TimerScheduler {
    private let base: ManualTimers
    private let delay = NIOLockedValueBox<Int64>(0)

    init(_ base: ManualTimers) {
        self.base = base
    }

    /// Advances the clock for a delivery to a client.
    func tick() { delay.withLockedValue { $0 += 1 } }

    var now: Moment { base.now + .nanoseconds(delay.withLockedValue { $0 }) }

    func schedule(after duration: Duration, _ fire: @escaping @Sendable () -> Void) -> TimerCancellation {
        base.schedule(after: duration, fire)
    }
}
