import NIOConcurrencyHelpers

/// The object that the handlers of one send share. Its state changes in the order in which the handlers are
/// called, however late their queue calls them (rule NH-13): it is changed on that queue.
struct ShownMessage: Sendable {
    private let registry: HandlerRegistry
    private let shown = NIOLockedValueBox<Message?>(nil)

    init(_ registry: HandlerRegistry) {
        self.registry = registry
    }

    /// The object for handlers, as the message is now. To be called first, and once.
    func begin(_ message: Message) -> Message {
        let twin = message.twin()
        shown.withLockedValue { $0 = twin }
        return twin
    }

    /// The object for handlers, unchanged.
    func unchanged(_ message: Message) -> Message { shown.withLockedValue { $0 } ?? message }

    /// The object for handlers, which has caught up with the message when the handlers that are called from now on see it.
    func caughtUp(_ message: Message) -> Message {
        guard let twin = shown.withLockedValue({ $0 }) else { return message }
        let local = message.local
        registry.run { twin.update { $0 = local } }
        return twin
    }
}
