import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// A clock that a test advances by hand, with its timers. The clock starts at one second instead of zero, so that tests detect code that
/// assumes a start at zero.
public final class ManualTimers: TimerScheduler {
    private struct Entry {
        var deadline: Moment
        var order: UInt64
        var fire: @Sendable () -> Void
    }

    private struct State {
        var now = Moment(nanoseconds: 1_000_000_000)
        var entries: [UInt64: Entry] = [:]
        var last: UInt64 = 0
    }

    private let state = NIOLockedValueBox(State())

    /// Creates a clock that stands still until a test advances it.
    public init() {}

    public var now: Moment { state.withLockedValue { $0.now } }

    /// How many timers are running.
    public var runningCount: Int { state.withLockedValue { $0.entries.count } }

    /// The time until the next timer fires; nil when no timer is running.
    public var untilNext: Duration? {
        state.withLockedValue { state in
            state.entries.values.map(\.deadline).min().map { $0.duration(since: state.now) }
        }
    }

    public func schedule(after duration: Duration, _ fire: @escaping @Sendable () -> Void) -> TimerCancellation {
        let id = state.withLockedValue { state in
            state.last += 1
            state.entries[state.last] = Entry(deadline: state.now + max(duration, .zero), order: state.last, fire: fire)
            return state.last
        }
        return { [weak self] in
            _ = self?.state.withLockedValue { $0.entries.removeValue(forKey: id) }
        }
    }

    /// Advances the clock and fires the timers that are due, earliest first. While a timer fires, the clock shows the time of this timer.
    /// Timers of the same time fire in the order in which they were started.
    public func advance(by duration: Duration) {
        let target = state.withLockedValue { $0.now + duration }
        while let fire = takeNext(until: target) { fire() }
        state.withLockedValue { $0.now = max($0.now, target) }
    }

    /// Advances the clock to the next timer and fires it. Returns false when no timer is running.
    @discardableResult
    public func advanceToNext() -> Bool {
        guard let wait = untilNext else { return false }
        advance(by: wait)
        return true
    }

    private func takeNext(until target: Moment) -> (@Sendable () -> Void)? {
        state.withLockedValue { state in
            let due = state.entries.filter { $0.value.deadline <= target }
            guard let next = due.min(by: { ($0.value.deadline, $0.value.order) < ($1.value.deadline, $1.value.order) })
            else { return nil }
            state.entries[next.key] = nil
            state.now = max(state.now, next.value.deadline)
            return next.value.fire
        }
    }
}
