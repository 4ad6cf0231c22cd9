import Dispatch
import NIOConcurrencyHelpers

/// A value that is set at most once, and one caller that waits for it.
final class Once<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiter: CheckedContinuation<Value?, Never>?
        var isOver = false
    }

    private let state = NIOLockedValueBox(State())

    /// Sets the value. Later calls, and calls after the wait has expired, are ignored.
    func finish(_ value: Value) {
        let waiter = state.withLockedValue { state -> CheckedContinuation<Value?, Never>? in
            guard !state.isOver else { return nil }
            state.isOver = true
            state.value = value
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: value)
    }

    /// Waits for the value. Returns nil when the value is not set within `limit`.
    func value(within limit: Duration) async -> Value? {
        if let value = state.withLockedValue({ $0.value }) { return value }
        let watch = Watchdog.shared.expect(within: limit) { [weak self] in self?.expire() }
        defer { Watchdog.shared.dismiss(watch) }
        return await withCheckedContinuation { continuation in
            let value = state.withLockedValue { state -> Value? in
                if state.value == nil, !state.isOver { state.waiter = continuation }
                return state.value
            }
            if value != nil || state.withLockedValue({ $0.isOver && $0.value == nil }) { continuation.resume(returning: value) }
        }
    }

    private func expire() {
        let waiter = state.withLockedValue { state -> CheckedContinuation<Value?, Never>? in
            guard !state.isOver else { return nil }
            state.isOver = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
    }
}

/// Ends the waits of ``Once/value(within:)`` that have exceeded their limit in real time. The process has one watchdog; its timer runs
/// while at least one caller waits.
final class Watchdog: Sendable {
    static let shared = Watchdog()

    private struct State {
        var waits: [UInt64: (end: ContinuousClock.Instant, expire: @Sendable () -> Void)] = [:]
        var last: UInt64 = 0
        var isRunning = false
    }

    private let state = NIOLockedValueBox(State())
    private let queue = DispatchQueue(label: "lifeline.testing.watchdog")

    func expect(within limit: Duration, _ expire: @escaping @Sendable () -> Void) -> UInt64 {
        let (id, mustStart) = state.withLockedValue { state -> (UInt64, Bool) in
            state.last += 1
            state.waits[state.last] = (.now + limit, expire)
            defer { state.isRunning = true }
            return (state.last, !state.isRunning)
        }
        if mustStart { look() }
        return id
    }

    func dismiss(_ id: UInt64) { state.withLockedValue { _ = $0.waits.removeValue(forKey: id) } }

    /// Once a second, while at least one caller waits, ends the waits whose time limit has passed.
    private func look() {
        queue.asyncAfter(deadline: .now() + .seconds(1)) { [self] in
            let now = ContinuousClock.now
            let (expired, goesOn) = state.withLockedValue { state in
                let expired = state.waits.filter { $0.value.end <= now }
                for id in expired.keys { state.waits[id] = nil }
                state.isRunning = !state.waits.isEmpty
                return (expired.values.map(\.expire), state.isRunning)
            }
            for expire in expired { expire() }
            if goesOn { look() }
        }
    }
}
