/// Who vouches for the user of a client of Pusher Channels. A client that signs in gets what is sent to its user, as messages of
/// the channel `#server-to-user-ID`, and hears who of its watchlist is online (``ServiceNotice``). Rule LL-31.
public struct PusherSignIn: Sendable {
    /// What your server answers.
    public struct Grant: Hashable, Sendable {
        /// `key:signature`.
        public var auth: String
        /// The JSON text that was signed.
        public var userData: String

        /// What your server answered.
        public init(auth: String, userData: String) {
            self.auth = auth
            self.userData = userData
        }
    }

    enum Kind: Sendable {
        case secret(watchlist: [String])
        case endpoint(url: String, headers: [String: String])
        case custom(@Sendable (String) async throws -> Grant)
    }

    let kind: Kind

    /// The client itself, with the secret of the service's ``PusherAccess``, as the service's user.
    ///
    /// - Parameter watchlist: the ids of other users, at most 100.
    public static func secret(watchlist: [String] = []) -> PusherSignIn {
        PusherSignIn(kind: .secret(watchlist: watchlist))
    }

    /// Your server's endpoint, asked with a form POST of `socket_id` for every connection.
    public static func endpoint(_ url: String, headers: [String: String] = [:]) -> PusherSignIn {
        PusherSignIn(kind: .endpoint(url: url, headers: headers))
    }

    /// Code of your own, run in a task of its own for every connection with its socket id; cancelled when it is not needed any more.
    ///
    /// Throw a ``LifelineError`` with ``LifelineError/Code/accessDenied`` to refuse for good; other errors are tried again.
    public static func custom(_ authenticate: @escaping @Sendable (String) async throws -> Grant) -> PusherSignIn {
        PusherSignIn(kind: .custom(authenticate))
    }
}
