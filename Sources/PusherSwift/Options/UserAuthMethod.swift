import Foundation

#if canImport(FoundationNetworking) && !WITHOUT_FOUNDATION_NETWORKING
    import FoundationNetworking
#endif

/// How a user who signs in is authenticated. An addition to PusherSwift 10.1.
///
/// The associated objects are called on the connection's callback queue, once per connection.
public enum UserAuthMethod {
    /// An endpoint to which the client sends the socket id, in the form of a POST request.
    case endpoint(authEndpoint: String)
    /// An object that builds the request to your endpoint.
    case authRequestBuilder(authRequestBuilder: UserAuthRequestBuilder)
    /// An object of the app that authenticates users with its own code.
    case authenticator(authenticator: UserAuthenticator)
    /// The app's secret. The client itself signs the user that ``PusherConnection/userDataFetcher`` returns, together with this watchlist.
    /// For development only.
    case inline(secret: String, watchlist: [String] = [])
    /// No method. Every sign-in fails.
    case noMethod

    /// Authenticates users with a closure, which is called on the callback queue. The closure has to call its second argument once, from
    /// any thread, with the authorisation, or with nil to refuse.
    public static func handler(
        _ body: @escaping (_ socketID: String, _ completion: @escaping @Sendable (PusherUserAuth?) -> Void) -> Void
    ) -> UserAuthMethod {
        .authenticator(authenticator: UserAuthHandler(body: body))
    }
}

/// The authorisation of one user for one connection.
///
/// Immutable, hence safe to share between threads.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public final class PusherUserAuth: NSObject, Sendable {
    /// `key:signature`.
    public let auth: String
    /// The JSON text that was signed: an object with an `id`, and optionally `user_info` and `watchlist`.
    public let userData: String

    /// Creates an authorisation from the values in your server's answer.
    public init(auth: String, userData: String) {
        self.auth = auth
        self.userData = userData
    }
}

/// Authenticates users with your own code.
#if canImport(ObjectiveC)
    @objc
#endif
public protocol UserAuthenticator: AnyObject {
    /// Authenticates the user. Call `completionHandler` once, from any thread, with the authorisation, or with nil to refuse. With nil or
    /// without an answer in time, the sign-in fails with an error.
    func fetchUserAuthValue(socketID: String, completionHandler: @escaping @Sendable (PusherUserAuth?) -> Void)
}

/// Builds the request that asks your endpoint to authenticate a user.
#if canImport(ObjectiveC)
    @objc
#endif
public protocol UserAuthRequestBuilder: AnyObject {
    /// Returns the request, or nil when it cannot be built; the sign-in then fails with an error.
    func requestFor(socketID: String) -> URLRequest?
}

final class UserAuthHandler: NSObject, UserAuthenticator {
    private let body: (String, @escaping @Sendable (PusherUserAuth?) -> Void) -> Void

    init(body: @escaping (String, @escaping @Sendable (PusherUserAuth?) -> Void) -> Void) {
        self.body = body
    }

    func fetchUserAuthValue(socketID: String, completionHandler: @escaping @Sendable (PusherUserAuth?) -> Void) {
        body(socketID, completionHandler)
    }
}
