import ChatProtocol

/// How a client of Nexconn Chat gets its access token, which identifies the user.
public struct NexconnAccess: Sendable {
    enum Kind: Sendable {
        case token(String)
        case provider(@Sendable () async throws -> String)
        case tokens(TokenProvider)
        case secret(ChatCredentials)
    }

    let kind: Kind

    /// The user, when the client itself requests the user's token.
    var user: String? {
        if case .secret(let credentials) = kind { credentials.user } else { nil }
    }

    /// A token that your server has issued. When it is refused the connection fails with `credentialsRejected`.
    public static func token(_ token: String) -> NexconnAccess {
        NexconnAccess(kind: .token(token))
    }

    /// Your own code, called in a task of its own before each attempt to connect, so that an expired token is never used.
    ///
    /// Throw a ``LifelineError`` with ``LifelineError/Code/accessDenied`` to stop connecting; after other errors the client tries again.
    public static func provider(_ provider: @escaping @Sendable () async throws -> String) -> NexconnAccess {
        NexconnAccess(kind: .provider(provider))
    }

    /// Your own code, asked for a token before the first attempt to connect, again before the token expires, and again when it is
    /// refused; such a refusal does not end the attempts. Unlike with ``provider(_:)``, a token is used until it expires.
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

/// The credentials of an application's own server. Does not print its secret.
struct ChatCredentials: Sendable, CustomStringConvertible, CustomReflectable {
    let secret: String
    let user: String
    let name: String

    var description: String { "credentials for user \(user)" }
    var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}
