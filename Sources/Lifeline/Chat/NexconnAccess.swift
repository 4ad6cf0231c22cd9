import ChatProtocol

/// How a client of Nexconn Chat gets its access token. The token identifies the user.
public struct NexconnAccess: Sendable {
    enum Kind: Sendable {
        case token(String)
        case provider(@Sendable () async throws -> String)
        case tokens(TokenProvider)
        case secret(ChatCredentials)
    }

    let kind: Kind

    /// The user id for which the client itself requests tokens; nil when the application provides the token.
    var user: String? {
        if case .secret(let credentials) = kind { credentials.user } else { nil }
    }

    /// Uses one token that your server has issued. If the service refuses the token, the connection fails with `credentialsRejected`.
    public static func token(_ token: String) -> NexconnAccess {
        NexconnAccess(kind: .token(token))
    }

    /// Calls your own code for a token before each connection attempt, so an expired token is never used. Each call runs in a separate
    /// task.
    ///
    /// Throw a ``LifelineError`` with ``LifelineError/Code/accessDenied`` to stop connecting; after other errors the client tries again.
    public static func provider(_ provider: @escaping @Sendable () async throws -> String) -> NexconnAccess {
        NexconnAccess(kind: .provider(provider))
    }

    /// Calls your own code for a token before the first connection attempt, before the token expires, and when the service refuses the
    /// token. A refused token does not end the attempts. Unlike with ``provider(_:)``, a token is used until it expires.
    public static func tokens(_ provider: TokenProvider) -> NexconnAccess {
        NexconnAccess(kind: .tokens(provider))
    }

    /// The client requests a token with the application's secret before each attempt to connect. For servers, tools and tests: do not
    /// ship a secret to users.
    ///
    /// - Parameters:
    ///   - secret: the application's secret.
    ///   - user: the user's id.
    ///   - name: the user's name that others see; nil for the id.
    public static func secret(_ secret: String, user: String, name: String? = nil) -> NexconnAccess {
        NexconnAccess(kind: .secret(ChatCredentials(secret: secret, user: user, name: name ?? user)))
    }
}

/// The application's secret and the user for whom tokens are requested. Its description and mirror omit the secret.
struct ChatCredentials: Sendable, CustomStringConvertible, CustomReflectable {
    let secret: String
    let user: String
    let name: String

    var description: String { "credentials for user \(user)" }
    var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}
