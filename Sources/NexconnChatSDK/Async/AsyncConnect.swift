import NIOConcurrencyHelpers

/// The call of a task that waits for a connection. The task may be cancelled before, during and after the call.
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
