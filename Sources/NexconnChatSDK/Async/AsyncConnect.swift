import NIOConcurrencyHelpers

/// The call of `connect` that an async `connect` has started. ``cancel()`` ends its connection when the task that awaits the call is
/// cancelled.
final class AsyncConnect: Sendable {
    private let state = NIOLockedValueBox<(ConnectCall, ChatEngine)?>(nil)

    func begin(_ call: ConnectCall, _ engine: ChatEngine) {
        state.withLockedValue { $0 = (call, engine) }
    }

    func cancel() {
        guard let (call, engine) = state.withLockedValue({ $0 }) else { return }
        engine.cancel(call)
    }
}
