/// How the user of a client of Pusher Channels is authenticated. A client that signs in gets messages to its user, on the channel
/// `#server-to-user-ID`, and a ``ServiceNotice`` when users of its watchlist come online or go offline (rule LL-31).
public struct PusherSignIn: Sendable {
    /// The answer of your server to a request for authentication.
    public struct Grant: Hashable, Sendable {
        /// `key:signature`.
        public var auth: String
        /// The JSON text about the user that your server has signed.
        public var userData: String

        /// Makes an authentication from the values of your server's answer.
        public init(auth: String, userData: String) {
            self.auth = auth
            self.userData = userData
        }
    }

    enum Kind: Sendable {
        case secret(watchlist: [String])
        case endpoint(url: String, headers: EndpointHeaders)
        case custom(@Sendable (String) async throws -> Grant)
    }

    let kind: Kind

    /// The client signs in the user of the service's settings with the secret of its ``PusherAccess``.
    ///
    /// - Parameter watchlist: the ids of other users, at most 100.
    public static func secret(watchlist: [String] = []) -> PusherSignIn {
        PusherSignIn(kind: .secret(watchlist: watchlist))
    }

    /// Requests each authentication from an endpoint of your server. The endpoint gets a form POST with `socket_id` for every connection.
    public static func endpoint(_ url: String, headers: [String: String] = [:]) -> PusherSignIn {
        PusherSignIn(kind: .endpoint(url: url, headers: .fixed(headers)))
    }

    /// Requests each authentication from an endpoint of your server, with header fields that your own code provides, such as
    /// `Authorization` with a token. The endpoint gets a form POST with `socket_id` for every connection.
    ///
    /// - Parameters:
    ///   - url: the endpoint's address.
    ///   - headers: called before the first request, and again when the endpoint has answered 401 or 403; the request is then repeated
    ///     once. It is called once, in a separate task, even when many requests need headers at the same time (rules LL-80 to LL-84). Throw
    ///     a ``LifelineError`` with ``LifelineError/Code/accessDenied`` to refuse; after other errors the client tries again.
    public static func endpoint(
        _ url: String, headers: @escaping @Sendable (TokenRequest) async throws -> [String: String]
    ) -> PusherSignIn {
        PusherSignIn(kind: .endpoint(url: url, headers: .provided(headers)))
    }

    /// Calls your own code with the socket id of every connection, in a separate task. The task is cancelled when the result is no longer
    /// needed.
    ///
    /// Throw a ``LifelineError`` with ``LifelineError/Code/accessDenied`` to refuse the sign-in; after other errors the client tries again.
    public static func custom(_ authenticate: @escaping @Sendable (String) async throws -> Grant) -> PusherSignIn {
        PusherSignIn(kind: .custom(authenticate))
    }
}
