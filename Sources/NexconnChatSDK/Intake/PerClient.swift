import NIOConcurrencyHelpers

/// A value of the signed-in user's client. It is reset when another user signs in.
struct PerClient<Value: Sendable>: Sendable {
    private let box: NIOLockedValueBox<(client: UInt64, value: Value)>
    private let initial: Value

    init(_ initial: Value) {
        self.initial = initial
        box = NIOLockedValueBox((0, initial))
    }

    func withValue<Result>(of client: ChatClient, _ body: (inout Value) -> Result) -> Result {
        box.withLockedValue { state in
            if state.client < client.number { state = (client.number, initial) }
            // A client that has been replaced gets a temporary value, so that its events do not reach the next user's handlers.
            guard state.client == client.number else {
                var dropped = initial
                return body(&dropped)
            }
            return body(&state.value)
        }
    }
}
