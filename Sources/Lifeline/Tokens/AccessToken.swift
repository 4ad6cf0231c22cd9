#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A token with which a service admits a client, as your server has issued it.
///
/// Descriptions do not show the token.
public struct AccessToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The token itself. A secret.
    public var text: String
    /// When the token expires; nil when that is not known. Then the client requests another one only after a refusal.
    ///
    /// A token of PubNub's access manager contains its expiry: leave this nil, and the client reads it from the token.
    public var expires: Date?

    /// A token.
    public init(_ text: String, expires: Date? = nil) {
        self.text = text
        self.expires = expires
    }

    public var description: String { "AccessToken(expires: \(expires.map { "\($0)" } ?? "unknown"))" }
    public var customMirror: Mirror { Mirror(self, children: ["expires": expires as Any]) }
}

/// Why a client asks for a token, or for headers with one.
public struct TokenRequest: Hashable, Sendable {
    /// The reasons for asking. More may be added: switch over it with a `default`.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The client has none yet.
        case first
        /// The client's token is about to expire, or has expired while there was no connection.
        case expiring
        /// The service has refused the client's token: it has ended early, was revoked, or lacks a right.
        case refused
    }

    /// Why the client requests a token.
    public var reason: Reason
    /// The service's answer when it refused the last token; nil for other reasons.
    public var refusal: LifelineError?

    /// A request, such as for tests of your own code.
    public init(_ reason: Reason, refusal: LifelineError? = nil) {
        self.reason = reason
        self.refusal = refusal
    }
}

/// Your code that gets tokens from your server, with the time of their renewal.
///
/// A client asks before its first attempt to connect, again some time before a token expires, and again when the service refuses one,
/// with the refusal. Your code is called once, in a separate task, even when several requests need a token at that moment. A renewed
/// token is used from the next request on; the connection stays. ``ClientEvents`` report each renewal, and each one that failed. Rules
/// LL-80 to LL-84.
///
/// Throw a ``LifelineError`` with ``LifelineError/Code/accessDenied`` to end the attempts; after other errors the client tries again.
public struct TokenProvider: Sendable {
    let margin: Duration
    let provide: @Sendable (TokenRequest) async throws -> AccessToken

    /// A provider.
    ///
    /// - Parameters:
    ///   - margin: how long before its expiry a token is renewed; clamped to 1 s to 24 h. A token with a lifetime below twice the
    ///     margin is renewed after half of its lifetime.
    ///   - provide: called when a token is needed; one call at a time for each client.
    public init(
        margin: Duration = .seconds(60), _ provide: @escaping @Sendable (TokenRequest) async throws -> AccessToken
    ) {
        self.margin = min(max(margin, .seconds(1)), .seconds(86_400))
        self.provide = provide
    }
}

extension Date {
    /// Whole seconds since 1970, clamped to the range of `Int`.
    var unixSeconds: Int { Int(exactly: timeIntervalSince1970.rounded(.down)) ?? (timeIntervalSince1970 < 0 ? .min : .max) }
}
