import NIOConcurrencyHelpers

/// Limits a loop over an async sequence to the demand of a Combine subscriber: each iteration uses one unit of demand. May be used from any
/// thread.
final class DemandGate: Sendable {
    private struct State {
        /// How many further elements the subscriber has requested; nil for no limit.
        var demand: Int? = 0
        var isCancelled = false
        var onCancel: (@Sendable () -> Void)?
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let state = NIOLockedValueBox(State())

    /// Adds demand for `count` elements; nil removes the limit for good.
    func add(_ count: Int?) {
        let waiter = state.withLockedValue { state -> CheckedContinuation<Bool, Never>? in
            guard !state.isCancelled else { return nil }
            if let count, let demand = state.demand {
                let sum = demand.addingReportingOverflow(max(count, 0))
                state.demand = sum.overflow ? nil : sum.partialValue
            } else {
                state.demand = nil
            }
            return Self.take(&state)
        }
        waiter?.resume(returning: true)
    }

    /// Waits for demand and uses one unit of it. Returns false once the gate is cancelled. Only one task may wait at a time.
    func pass() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer = state.withLockedValue { state -> Bool? in
                if state.isCancelled { return false }
                state.waiter = continuation
                return Self.take(&state) == nil ? nil : true
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Whether the gate was cancelled, so that no further element passes.
    var isCancelled: Bool { state.withLockedValue { $0.isCancelled } }

    /// Cancels the gate, so that no further element passes and a waiting task continues.
    func cancel() {
        let (waiter, callback) = state.withLockedValue { state -> (CheckedContinuation<Bool, Never>?, (@Sendable () -> Void)?) in
            state.isCancelled = true
            defer { (state.waiter, state.onCancel) = (nil, nil) }
            return (state.waiter, state.onCancel)
        }
        waiter?.resume(returning: false)
        callback?()
    }

    /// Calls `callback` when the gate is cancelled; at once if it is cancelled already.
    func onCancel(_ callback: @escaping @Sendable () -> Void) {
        let isLate = state.withLockedValue { state in
            if !state.isCancelled { state.onCancel = callback }
            return state.isCancelled
        }
        if isLate { callback() }
    }

    /// Removes the waiting task and uses one unit of demand. Returns nil when there is no demand or no waiting task.
    private static func take(_ state: inout State) -> CheckedContinuation<Bool, Never>? {
        guard state.demand != 0, let waiter = state.waiter else { return nil }
        state.waiter = nil
        state.demand = state.demand.map { $0 - 1 }
        return waiter
    }
}
