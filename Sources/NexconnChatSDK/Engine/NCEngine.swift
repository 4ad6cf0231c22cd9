import EngineRuntime
import Foundation

/// The entry point of the SDK. Call ``initialize(_:)``, add handlers, then connect.
///
/// The SDK works with Lifeline's server, not with Nexconn's servers. May be used from any thread; no method blocks. Handlers and
/// completions are called on one serial queue, never on the caller's thread (rule NC-20).
#if canImport(ObjectiveC)
    @objc(NCEngine)
#endif
public final class NCEngine: NSObject {
    /// The engine for the code of one task; nil for the process's engine. It lets tests use separate engines.
    @TaskLocal static var scoped: ChatEngine?

    static var engine: ChatEngine { scoped ?? .shared }
    /// The client of the signed-in user.
    static var client: ChatClient? { engine.client }
    /// All handlers of the application, and the callback queue.
    static var registry: HandlerRegistry { engine.registry }

    private override init() {}

    /// Initialises the SDK. Call it once, before all other functions. A second call with the same app key only logs a warning; a call with
    /// another key signs the present user out and replaces the settings (rule NC-1).
    #if canImport(ObjectiveC)
        @objc(initializeWithParams:)
    #endif
    public static func initialize(_ params: InitParams) {
        observeApplication()
        engine.initialize(EngineSettings(params))
    }

    /// Signs a user in. From then on the library keeps the connection open and restores it after every loss.
    ///
    /// Add handlers first, because offline messages arrive right after the sign-in. A call with another token signs the present user out
    /// first. A call with the same token fails with error 34001, or with 33006 while the client is connecting (rule NC-5).
    ///
    /// - Parameters:
    ///   - params: the parameters.
    ///   - databaseOpenedHandler: called when the user's local database was opened, or could not be opened. If the token was used before on
    ///     this device, the handler is called before the client connects. Otherwise it is called before the status becomes
    ///     ``NCConnectionStatus/connected``. `isRecreated` is true when data that was only stored locally has been lost. Without a database
    ///     messages are delivered, but not stored.
    ///   - completionHandler: called once, with the user's id or an error. After an error no further attempt is made (rule NC-4).
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

    /// Signs the user out, in any state of the connection. The status becomes ``NCConnectionStatus/signOut``, the local database is closed,
    /// and handlers get no further events of this user.
    ///
    /// - Parameter disablePush: whether the server also reports the user as logged out, so that no notifications are sent to this device.
    #if canImport(ObjectiveC)
        @objc(disconnect:)
    #endif
    public static func disconnect(disablePush: Bool = false) {
        engine.disconnect(disablePush: disablePush)
    }

    /// The connection's present status. It may be newer than the last status that a handler got, because handlers are called on the
    /// callback queue.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public static func getConnectionStatus() -> NCConnectionStatus {
        engine.status
    }

    /// The id of the signed-in user. It is known as soon as the server has confirmed the token, or at once if the token was used before on
    /// this device; otherwise it is nil.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public static func getCurrentUserId() -> String? {
        client?.user
    }
}
