import NIOConcurrencyHelpers

/// The object that the callbacks of one send share. Its state changes on the callback queue, so that each callback sees the state that
/// belongs to it, however late it is called (rule NH-13).
struct ShownMessage: Sendable {
    private let registry: HandlerRegistry
    private let shown = NIOLockedValueBox<Message?>(nil)

    init(_ registry: HandlerRegistry) {
        self.registry = registry
    }

    /// Makes the object for the callbacks, with the message's present state. Call it first, and once.
    func begin(_ message: Message) -> Message {
        let twin = message.twin()
        shown.withLockedValue { $0 = twin }
        return twin
    }

    /// The shared object, without an update of its state.
    func unchanged(_ message: Message) -> Message { shown.withLockedValue { $0 } ?? message }

    /// Enqueues an update of the shared object to the message's present state, and returns the object. Callbacks that are enqueued later
    /// see that state.
    func caughtUp(_ message: Message) -> Message {
        guard let twin = shown.withLockedValue({ $0 }) else { return message }
        let local = message.local
        registry.run { twin.update { $0 = local } }
        return twin
    }
}
