import NIOConcurrencyHelpers

/// Limits a loop over an async sequence to the demand of a Combine subscriber: each pass needs one unit of demand. For any thread.
final class DemandGate: Sendable {
    private struct State {
        /// The remaining demand; nil for no limit.
        var demand: Int? = 0
        var isCancelled = false
        var onCancel: (@Sendable () -> Void)?
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let state = NIOLockedValueBox(State())

    /// Adds demand for this number of elements; nil for no limit from now on.
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

    /// Waits for demand and uses one unit of it. False once the gate was cancelled. For one task at a time.
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

    /// Whether no more elements pass.
    var isCancelled: Bool { state.withLockedValue { $0.isCancelled } }

    /// Closes the gate, so that no further element passes.
    func cancel() {
        let (waiter, callback) = state.withLockedValue { state -> (CheckedContinuation<Bool, Never>?, (@Sendable () -> Void)?) in
            state.isCancelled = true
            defer { (state.waiter, state.onCancel) = (nil, nil) }
            return (state.waiter, state.onCancel)
        }
        waiter?.resume(returning: false)
        callback?()
    }

    /// Calls `callback` once the gate is cancelled, or at once when it already is.
    func onCancel(_ callback: @escaping @Sendable () -> Void) {
        let isLate = state.withLockedValue { state in
            if !state.isCancelled { state.onCancel = callback }
            return state.isCancelled
        }
        if isLate { callback() }
    }

    /// The waiting task, when there is demand, one unit of which is used.
    private static func take(_ state: inout State) -> CheckedContinuation<Bool, Never>? {
        guard state.demand != 0, let waiter = state.waiter else { return nil }
        state.waiter = nil
        state.demand = state.demand.map { $0 - 1 }
        return waiter
    }
}
