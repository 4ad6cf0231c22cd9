#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An access token that your server has issued for a client of a service.
///
/// Descriptions do not show the token.
public struct AccessToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The token as text. It is a secret.
    public var text: String
    /// When the token expires; nil when the time is unknown. With nil, the client requests another token only after a refusal.
    ///
    /// A token of PubNub's access manager contains its expiry: leave this nil, and the client reads the expiry from the token.
    public var expires: Date?

    /// A token.
    public init(_ text: String, expires: Date? = nil) {
        self.text = text
        self.expires = expires
    }

    public var description: String { "AccessToken(expires: \(expires.map { "\($0)" } ?? "unknown"))" }
    public var customMirror: Mirror { Mirror(self, children: ["expires": expires as Any]) }
}

/// A client's request for a token, or for header fields with a token.
public struct TokenRequest: Hashable, Sendable {
    /// The reasons for a request. More may be added: switch over a reason with a `default`.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The client has no token yet.
        case first
        /// The client's token is about to expire, or has expired while there was no connection.
        case expiring
        /// The service has refused the client's token: the token has ended early, was revoked, or lacks a right.
        case refused
    }

    /// Why the client requests a token.
    public var reason: Reason
    /// The service's answer when it refused the last token; nil for any other reason.
    public var refusal: LifelineError?

    /// Makes a request, such as for tests of your own code.
    public init(_ reason: Reason, refusal: LifelineError? = nil) {
        self.reason = reason
        self.refusal = refusal
    }
}

/// Your code that gets tokens from your server, with the time of their renewal.
///
/// A client calls the code before its first connection attempt, again some time before a token expires, and again when the service refuses
/// a token, with the refusal. Your code is called once, in a separate task, even when several requests need a token at the same time. A
/// renewed token is used from the next request on; the connection stays open. ``ClientEvents`` reports each renewal and each failed one.
/// Rules LL-80 to LL-84.
///
/// Throw a ``LifelineError`` with ``LifelineError/Code/accessDenied`` to end the attempts; after other errors the client tries again.
public struct TokenProvider: Sendable {
    let margin: Duration
    let provide: @Sendable (TokenRequest) async throws -> AccessToken

    /// Makes a provider from your code.
    ///
    /// - Parameters:
    ///   - margin: how long before its expiry a token is renewed; clamped to 1 s to 24 h. A token with a lifetime below twice the margin is
    ///     renewed after half of its lifetime.
    ///   - provide: called when a token is needed; one call at a time for each client.
    public init(
        margin: Duration = .seconds(60), _ provide: @escaping @Sendable (TokenRequest) async throws -> AccessToken
    ) {
        self.margin = min(max(margin, .seconds(1)), .seconds(86_400))
        self.provide = provide
    }
}

extension Date {
    /// The date in whole seconds since 1970, clamped to the range of `Int`.
    var unixSeconds: Int { Int(exactly: timeIntervalSince1970.rounded(.down)) ?? (timeIntervalSince1970 < 0 ? .min : .max) }
}
