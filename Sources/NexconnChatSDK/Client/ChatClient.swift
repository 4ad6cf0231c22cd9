import Dispatch
import EngineRuntime
import NIOConcurrencyHelpers
import NexconnProtocol

/// A signed-in user: the session with the server and the local database. One for each sign-in; it ends with `disconnect`.
///
/// Completions come on ``work``, in one order with what arrives; they may use the database, and hand what the application is to hear
/// over with ``HandlerRegistry/run(_:)``.
final class ChatClient: Sendable {
    /// The handlers and the callback queue.
    let registry: HandlerRegistry
    /// The serial queue of the database and of everything that arrives.
    let work = DispatchQueue(label: "nexconn.work")

    init(registry: HandlerRegistry) {
        self.registry = registry
    }

    /// Who is signed in; nil until the server has said so or the token was seen before.
    var user: String? { nil }

    /// Sends a message. Waits for a connection, and is sent again after a loss with the same client id (session document, 5.1).
    func send(_ draft: NexconnDraft, completion: @escaping @Sendable (Result<NexconnSent, NCError>) -> Void) {}

    /// Asks the server. Needs a connection.
    func request(_ request: NexconnRequest, completion: @escaping @Sendable (Result<NexconnAnswer, NCError>) -> Void) {}

    /// Enters an open channel and stays in it over reconnects, until `exit`.
    func enter(_ entry: NexconnEntry, completion: @escaping @Sendable (Result<NexconnOpenEntrance, NCError>) -> Void) {}

    /// Leaves an open channel.
    func exit(_ channel: String, completion: @escaping @Sendable (Result<Void, NCError>) -> Void) {}

    /// Tells `user` that one is typing a message of this type. Lost without a connection.
    func typing(to user: String, type: String) {}
}
