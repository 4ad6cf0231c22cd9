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

    /// Sets the SDK up. Before everything else, and once: a second call with the same App Key is ignored with a warning in the log;
    /// one with another key signs the present user out, and what it says counts from then on (rule NC-1).
    #if canImport(ObjectiveC)
        @objc(initializeWithParams:)
    #endif
    public static func initialize(_ params: InitParams) {
        observeApplication()
        engine.initialize(EngineSettings(params))
    }

    /// Signs a user in and keeps the connection from then on, over every loss.
    ///
    /// Add handlers before, or what had been missed comes unheard. With another token than the present one the present user is signed
    /// out first; with the same one the call ends with 34001, or with 33006 while the connection is being made (rule NC-5).
    ///
    /// - Parameters:
    ///   - databaseOpenedHandler: called when the user's local database is open, or could not be opened: before there is a connection
    ///     if the token was used before on this device, and else before the status is ``NCConnectionStatus/connected``. `isRecreated`
    ///     says that what was only kept locally is gone. Without a database messages are told, but not kept.
    ///   - completionHandler: called once, with the user's id or an error. An error means that nothing more is tried (rule NC-4).
    #if canImport(ObjectiveC)
        @objc(connectWithParams:databaseOpenedHandler:completionHandler:)
    #endif
    public static func connect(
        params: ConnectParams, databaseOpenedHandler: ((_ isRecreated: Bool, _ error: NCError?) -> Void)? = nil,
        completionHandler: ((_ userId: String?, _ error: NCError?) -> Void)? = nil
    ) {
        let (opened, completion) = (CallerBlock(databaseOpenedHandler), CallerBlock(completionHandler))
        let engine = engine
        let call = ConnectCall(opened: { opened($0, $1) }) { [registry = engine.registry] result in
            registry.run {
                switch result {
                case .success(let user): completion(user, nil)
                case .failure(let error): completion(nil, error)
                }
            }
        }
        engine.connect(SignIn(params), call: call)
    }

    /// Signs the user out, in whatever state the connection is; status ``NCConnectionStatus/signOut``. The local database is closed, and
    /// no handler hears of this user any more.
    ///
    /// - Parameter disablePush: whether the server is to report the user as logged out, so that nobody notifies this device.
    #if canImport(ObjectiveC)
        @objc(disconnect:)
    #endif
    public static func disconnect(disablePush: Bool = false) {
        engine.disconnect(disablePush: disablePush)
    }

    /// Where the connection is now. May be ahead of handlers that still wait for the callback queue.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public static func getConnectionStatus() -> NCConnectionStatus {
        engine.status
    }

    /// Who is signed in: known as soon as the server has said so, or at once if the token was used before on this device. Nil
    /// otherwise.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public static func getCurrentUserId() -> String? {
        client?.user
    }
}
