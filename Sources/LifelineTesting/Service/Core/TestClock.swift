import ConnectionEngine
import EngineRuntime
import EngineTesting
import NIOConcurrencyHelpers

/// The manual clock that clients use. It advances by a nanosecond with each delivery to a client.
///
/// The nanosecond is needed because the engine accepts an answer to a probe only when it is later than the probe. On a real clock this is
/// always true.
final class TestClock: TimerScheduler {
    private let base: ManualTimers
    private let delay = NIOLockedValueBox<Int64>(0)

    init(_ base: ManualTimers) {
        self.base = base
    }

    /// Advances the clock by a nanosecond, for a delivery to a client.
    func tick() { delay.withLockedValue { $0 += 1 } }

    var now: Moment { base.now + .nanoseconds(delay.withLockedValue { $0 }) }

    func schedule(after duration: Duration, _ fire: @escaping @Sendable () -> Void) -> TimerCancellation {
        base.schedule(after: duration, fire)
    }
}
