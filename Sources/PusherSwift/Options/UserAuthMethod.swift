import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How a user who signs in is vouched for. An addition to PusherSwift 10.1; Pusher docs, User authentication.
///
/// The objects in it are called on the connection's callback queue, once per connection.
public enum UserAuthMethod {
    /// A POST of the socket id to this URL, as a form.
    case endpoint(authEndpoint: String)
    /// Your own request to your own endpoint.
    case authRequestBuilder(authRequestBuilder: UserAuthRequestBuilder)
    /// Your own code.
    case authenticator(authenticator: UserAuthenticator)
    /// The app's secret: sign-ins are signed here, without an endpoint, as ``PusherConnection/userDataFetcher``'s user with this
    /// watchlist. For development.
    case inline(secret: String, watchlist: [String] = [])
    /// None: nobody can sign in.
    case noMethod

    /// Your own code, as a closure: call the second argument once, from any thread, with the authorisation or with nil.
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
    /// The JSON text that was signed: an object with an `id` and, if you like, `user_info` and `watchlist`.
    public let userData: String

    public init(auth: String, userData: String) {
        self.auth = auth
        self.userData = userData
    }
}

/// Vouches for users with code of your own.
#if canImport(ObjectiveC)
    @objc
#endif
public protocol UserAuthenticator: AnyObject {
    /// Call `completionHandler` once, from any thread: with the authorisation, or with nil when there is none. A nil, and no answer
    /// in time, fail the sign-in visibly.
    func fetchUserAuthValue(socketID: String, completionHandler: @escaping @Sendable (PusherUserAuth?) -> Void)
}

/// Builds the request that asks your endpoint to vouch for a user.
#if canImport(ObjectiveC)
    @objc
#endif
public protocol UserAuthRequestBuilder: AnyObject {
    /// The request, or nil when there is none to make; the sign-in then fails visibly.
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
