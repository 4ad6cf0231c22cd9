import NIOConcurrencyHelpers

/// The call that an async `connect` has begun, so that the cancellation of its task can end the connection.
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
