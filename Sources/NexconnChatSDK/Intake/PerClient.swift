import NIOConcurrencyHelpers

/// Something that belongs to the user who is signed in, and is forgotten with the next one.
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
            // One who has gone is late: nothing of it may reach the next one.
            guard state.client == client.number else {
                var dropped = initial
                return body(&dropped)
            }
            return body(&state.value)
        }
    }
}
