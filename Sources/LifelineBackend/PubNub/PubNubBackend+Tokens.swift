import PubNubProtocol
import WireCoding

// Calls for access tokens. Rule BK-7.
extension PubNubBackend {
    /// The allowed lifetimes of a token in minutes.
    private static let lifetimes = 1...43_200

    /// Requests a token from the service.
    ///
    /// - Parameters:
    ///   - permissions: the rights that the token grants.
    ///   - minutes: how long the token is valid: 1 to 43,200 minutes.
    ///   - user: the only user who may use the token; nil for every user, which is rarely intended.
    /// - Throws: the error of the call.
    public func grant(
        _ permissions: [PubNubPermission], minutes: Int, user: String?
    ) async throws(BackendError) -> String {
        try Self.check(permissions, minutes)
        var rights: [(String, JSONValue)] = [
            ("resources", Self.json(permissions, patterns: false)), ("patterns", Self.json(permissions, patterns: true)),
            ("meta", [:]),
        ]
        if let user { rights.append(("uuid", .string(user))) }
        let body: JSONValue = [
            "ttl": .number(JSONNumber(minutes)), "permissions": .object(.init(uniqueKeysWithValues: rights)),
        ]
        let request = PubNubRequest(
            method: "POST", path: ["v3", "pam", PercentEncoding.encode(keys.subscribeKey), "grant"],
            body: Array(body.text.utf8))
        let answer = try await caller.json(.always) { call(request) }
        guard let token = answer["data"]?["token"]?.string else {
            throw BackendError(.malformedResponse, "The service's answer to grant has no token.", mayHaveTakenEffect: true)
        }
        return token
    }

    /// Revokes a token before it expires. Tokens from ``localToken(_:minutes:user:)`` can be revoked too.
    ///
    /// - Throws: the error of the call.
    public func revoke(_ token: String) async throws(BackendError) {
        guard !token.isEmpty else { throw .badRequest("The token to revoke is empty. Pass the text of an access token.") }
        let request = PubNubRequest(
            method: "DELETE",
            path: ["v3", "pam", PercentEncoding.encode(keys.subscribeKey), "grant", PercentEncoding.encode(token)])
        _ = try await caller.json(.always) { call(request) }
    }

    /// Signs a token locally, without a call. Lifeline's server accepts such a token; PubNub's own service accepts only tokens from
    /// ``grant(_:minutes:user:)``.
    ///
    /// - Throws: `badRequest` for invalid arguments.
    public func localToken(_ permissions: [PubNubPermission], minutes: Int, user: String?) throws(BackendError) -> String {
        try Self.check(permissions, minutes)
        var token = PubNubAccessToken(
            issued: unixMilliseconds() / 1000, ttl: minutes, resources: permissions.grants(patterns: false),
            patterns: permissions.grants(patterns: true), authorizedUser: user)
        token.sign(with: keys.secretKey)
        return token.text
    }

    /// Reads the rights and the validity from a token. No call is made.
    ///
    /// - Throws: `badRequest` for a text that is not an access token.
    public func contents(ofToken text: String) throws(BackendError) -> PubNubTokenContents {
        do throws(PubNubAccessTokenError) {
            let token = try PubNubAccessToken(parsing: text)
            return PubNubTokenContents(token, isSignedByBackend: token.isSigned(with: keys.secretKey))
        } catch {
            throw .badRequest("The text is not a PubNub access token of version 3, such as grant(_:minutes:user:) returns.")
        }
    }

    private static func check(_ permissions: [PubNubPermission], _ minutes: Int) throws(BackendError) {
        guard lifetimes.contains(minutes) else {
            throw .badRequest("The token's lifetime is \(minutes) minutes; it must be 1 to 43200 minutes.")
        }
        guard permissions.contains(where: { !$0.permissions.isEmpty }), permissions.allSatisfy({ !$0.name.isEmpty }) else {
            throw .badRequest("The token has no permission, or a permission without a name. Pass permissions with names.")
        }
    }

    private static func json(_ permissions: [PubNubPermission], patterns: Bool) -> JSONValue {
        let grants = permissions.grants(patterns: patterns)
        func bits(_ rights: PubNubGrants.Rights) -> JSONValue {
            .object(.init(uniqueKeysWithValues: rights.map { ($0.key.text, .number(JSONNumber($0.value.rawValue))) }))
        }
        return ["channels": bits(grants.channels), "groups": bits(grants.groups), "uuids": bits(grants.users)]
    }
}
