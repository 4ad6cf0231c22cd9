import NIOConcurrencyHelpers

/// The message object that all callbacks of one send share. Its state changes on the callback queue, so that each callback gets the state
/// that was present when the callback was enqueued (rule NH-13).
struct ShownMessage: Sendable {
    private let registry: HandlerRegistry
    private let shown = NIOLockedValueBox<Message?>(nil)

    init(_ registry: HandlerRegistry) {
        self.registry = registry
    }

    /// Creates the shared object with the message's present state. Must be called first, and once.
    func begin(_ message: Message) -> Message {
        let twin = message.twin()
        shown.withLockedValue { $0 = twin }
        return twin
    }

    /// Returns the shared object without updating its state.
    func unchanged(_ message: Message) -> Message { shown.withLockedValue { $0 } ?? message }

    /// Enqueues an update of the shared object to the message's present state, and returns the object. Callbacks that are enqueued later
    /// get this state.
    func caughtUp(_ message: Message) -> Message {
        guard let twin = shown.withLockedValue({ $0 }) else { return message }
        let local = message.local
        registry.run { twin.update { $0 = local } }
        return twin
    }
}
