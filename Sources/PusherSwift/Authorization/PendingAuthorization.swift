import NIOConcurrencyHelpers

/// An authorisation in progress. It ends once, with its first result or when it is cancelled. Later results and cancellations are ignored.
final class PendingAuthorization: Sendable {
    private struct State {
        var completion: (@Sendable (AuthorizationRunner.Outcome) -> Void)?
        var cancel: (@Sendable () -> Void)?
    }

    private let state: NIOLockedValueBox<State>

    init(_ completion: @escaping @Sendable (AuthorizationRunner.Outcome) -> Void) {
        state = NIOLockedValueBox(State(completion: completion))
    }

    var isOver: Bool { state.withLockedValue { $0.completion == nil } }

    func finish(_ outcome: AuthorizationRunner.Outcome) {
        take().completion?(outcome)
    }

    /// Sets the closure that stops the request or other work of this authorisation. If the authorisation has already ended, the closure is
    /// called at once.
    func onCancel(_ cancel: @escaping @Sendable () -> Void) {
        let isOver = state.withLockedValue { state in
            if state.completion != nil { state.cancel = cancel }
            return state.completion == nil
        }
        if isOver { cancel() }
    }

    func cancel() {
        take().cancel?()
    }

    private func take() -> State {
        state.withLockedValue { state in
            defer { state = State() }
            return state
        }
    }
}
