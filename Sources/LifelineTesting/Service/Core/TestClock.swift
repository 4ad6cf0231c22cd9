import ConnectionEngine
import EngineRuntime
import EngineTesting
import NIOConcurrencyHelpers

/// The manual clock as clients see it: each delivery reaches them a nanosecond after the one before it.
///
/// The engine takes an answer for one to a probe only when it came later than the probe, which is so on every real clock.
final class TestClock: TimerScheduler {
    private let base: ManualTimers
    private let delay = NIOLockedValueBox<Int64>(0)

    init(_ base: ManualTimers) {
        self.base = base
    }

    /// Something reaches a client.
    func tick() { delay.withLockedValue { $0 += 1 } }

    var now: Moment { base.now + .nanoseconds(delay.withLockedValue { $0 }) }

    func schedule(after duration: Duration, _ fire: @escaping @Sendable () -> Void) -> TimerCancellation {
        base.schedule(after: duration, fire)
    }
}
