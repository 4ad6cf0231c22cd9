import NIOConcurrencyHelpers

/// What is behind ``NCEngine``: settings, handlers and the user who is signed in. One for the process; tests make more.
final class ChatEngine: Sendable {
    static let shared = ChatEngine()

    private struct State: Sendable {
        var client: ChatClient?
        var status = NCConnectionStatus.unconnected
    }

    let registry: HandlerRegistry
    private let state = NIOLockedValueBox(State())

    init(registry: HandlerRegistry = HandlerRegistry()) {
        self.registry = registry
    }

    /// The user who is signed in.
    var client: ChatClient? { state.withLockedValue { $0.client } }
    var status: NCConnectionStatus { state.withLockedValue { $0.status } }
}
