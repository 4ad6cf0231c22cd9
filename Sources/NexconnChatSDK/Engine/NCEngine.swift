import Foundation

/// The SDK: initialise it, add handlers, connect.
///
/// Talks to Lifeline's server, not to Nexconn's. May be used from any thread; no method blocks. Handlers and completions are called
/// on one serial queue, never on the caller's thread (rule NC-20).
#if canImport(ObjectiveC)
    @objc(NCEngine)
#endif
public final class NCEngine: NSObject {
    /// Another engine for the code of one task, so that tests need not share one.
    @TaskLocal static var scoped: ChatEngine?

    static var engine: ChatEngine { scoped ?? .shared }
    /// The user who is signed in.
    static var client: ChatClient? { engine.client }
    /// All handlers, and the callback queue.
    static var registry: HandlerRegistry { engine.registry }

    private override init() {}

    /// Where the connection is now.
    public static func getConnectionStatus() -> NCConnectionStatus {
        engine.status
    }
}
