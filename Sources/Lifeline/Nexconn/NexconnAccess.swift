import NexconnProtocol

/// How a client of Nexconn Chat gets the access token that says who its user is.
public struct NexconnAccess: Sendable {
    enum Kind: Sendable {
        case token(String)
        case provider(@Sendable () async throws -> String)
        case secret(NexconnCredentials)
    }

    let kind: Kind

    /// A token that your server has issued. When it is refused the connection fails with `credentialsRejected`.
    public static func token(_ token: String) -> NexconnAccess {
        NexconnAccess(kind: .token(token))
    }

    /// Code of your own, run in a task of its own for each attempt to connect, so that a token that has expired is never used.
    ///
    /// Throw a ``LifelineError`` with ``LifelineError/Code/accessDenied`` to fail for good; after other errors another attempt follows.
    public static func provider(_ provider: @escaping @Sendable () async throws -> String) -> NexconnAccess {
        NexconnAccess(kind: .provider(provider))
    }

    /// The client itself, with the application's secret: it has a token issued for each attempt to connect. For servers, tools and
    /// tests: a secret must not be shipped to users.
    ///
    /// - Parameter name: the user's name, for others to see; nil for the id.
    public static func secret(_ secret: String, user: String, name: String? = nil) -> NexconnAccess {
        NexconnAccess(kind: .secret(NexconnCredentials(secret: secret, user: user, name: name ?? user)))
    }
}

/// What an application's own server knows. Does not print its secret.
struct NexconnCredentials: Sendable, CustomStringConvertible, CustomReflectable {
    let secret: String
    let user: String
    let name: String

    var description: String { "credentials for user \(user)" }
    var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}
