import PubNubProtocol
import WireCoding

// Access tokens. Rule BK-7.
extension PubNubBackend {
    /// How long a token may be valid, in minutes.
    private static let lifetimes = 1...43_200

    /// Requests a token from the service.
    ///
    /// - Parameters:
    ///   - permissions: the rights that the token grants.
    ///   - minutes: how long it is valid: 1 to 43,200.
    ///   - user: the only user who may use it; nil for everybody, which is rarely intended.
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
            throw BackendError(.malformedResponse, "The service's answer has no token.", mayHaveTakenEffect: true)
        }
        return token
    }

    /// Revokes a token before it expires. Tokens of ``localToken(_:minutes:user:)`` can be revoked as well.
    ///
    /// - Throws: the error of the call.
    public func revoke(_ token: String) async throws(BackendError) {
        guard !token.isEmpty else { throw .badRequest("The token is empty.") }
        let request = PubNubRequest(
            method: "DELETE",
            path: ["v3", "pam", PercentEncoding.encode(keys.subscribeKey), "grant", PercentEncoding.encode(token)])
        _ = try await caller.json(.always) { call(request) }
    }

    /// Signs a token locally, without a call. Lifeline's server accepts it; PubNub's own service accepts only those of
    /// ``grant(_:minutes:user:)``.
    ///
    /// - Throws: the error of the call.
    public func localToken(_ permissions: [PubNubPermission], minutes: Int, user: String?) throws(BackendError) -> String {
        try Self.check(permissions, minutes)
        var token = PubNubAccessToken(
            issued: unixMilliseconds() / 1000, ttl: minutes, resources: permissions.grants(patterns: false),
            patterns: permissions.grants(patterns: true), authorizedUser: user)
        token.sign(with: keys.secretKey)
        return token.text
    }

    /// The rights that a token grants.
    ///
    /// - Throws: the error of the call.
    public func contents(ofToken text: String) throws(BackendError) -> PubNubTokenContents {
        do throws(PubNubAccessTokenError) {
            let token = try PubNubAccessToken(parsing: text)
            return PubNubTokenContents(token, isSignedByBackend: token.isSigned(with: keys.secretKey))
        } catch {
            throw .badRequest("The text is not an access token of version 3.")
        }
    }

    private static func check(_ permissions: [PubNubPermission], _ minutes: Int) throws(BackendError) {
        guard lifetimes.contains(minutes) else { throw .badRequest("A token is valid for 1 to 43200 minutes, not \(minutes).") }
        guard permissions.contains(where: { !$0.permissions.isEmpty }), permissions.allSatisfy({ !$0.name.isEmpty }) else {
            throw .badRequest("A token needs at least one permission, and each permission a name.")
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
