import ConnectionEngine
import EngineRuntime
import EngineTesting
import NIOConcurrencyHelpers

/// Owns a test service's state.
///
/// Every change is made under one lock, and the resulting deliveries to clients are queued in that order. They are made outside of the
/// lock: a caller makes all queued deliveries unless another caller is doing so. Clients may therefore call the service from any thread,
/// and all clients get the events in the same order.
final class ServiceCore: Sendable {
    let timers = ManualTimers()
    /// The clock that clients use.
    let clock: TestClock
    let work = WorkTracker()
    private let state = NIOLockedValueBox(ServiceState())

    init() {
        clock = TestClock(timers)
    }

    /// Changes the state, then makes the deliveries that the change has queued.
    func change<Value>(_ body: (inout ServiceState) throws -> Value) rethrows -> Value {
        let (value, mustDeliver) = try state.withLockedValue { state in
            let value = try body(&state)
            defer { if !state.outbox.isEmpty { state.isDelivering = true } }
            return (value, !state.outbox.isEmpty && !state.isDelivering)
        }
        if mustDeliver { deliver() }
        return value
    }

    /// Reads the state.
    func read<Value>(_ body: (ServiceState) -> Value) -> Value {
        state.withLockedValue { body($0) }
    }

    private func deliver() {
        while true {
            let (next, waiters) = state.withLockedValue { state -> ((@Sendable () -> Void)?, [@Sendable () -> Void]) in
                if let next = state.outbox.popFirst() { return (next, []) }
                state.isDelivering = false
                defer { state.deliveryWaiters = [] }
                return (nil, state.deliveryWaiters)
            }
            guard let next else {
                for waiter in waiters { waiter() }
                return
            }
            work.note()
            clock.tick()
            next()
        }
    }

    /// Calls `body` once all queued deliveries to clients are made.
    func whenDelivered(_ body: @escaping @Sendable () -> Void) {
        let isDone = state.withLockedValue { state in
            if state.isDelivering { state.deliveryWaiters.append(body) }
            return !state.isDelivering
        }
        if isDone { body() }
    }

    /// The time of day on the manual clock, in 100 ns since 1970.
    var ticks: UInt64 { ServiceState.ticks(at: timers.now) }

    /// Changes the state when the manual clock has advanced by `duration`.
    func schedule(after duration: Duration, _ body: @escaping @Sendable (inout ServiceState) -> Void) -> TimerCancellation {
        timers.schedule(after: duration) { [weak self] in self?.change(body) }
    }
}
