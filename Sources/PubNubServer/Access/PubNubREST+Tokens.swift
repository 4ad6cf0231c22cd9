import Identifiers
import OrderedCollections
import PubNubProtocol
import ServerRuntime
import ServerStorage
import WireCoding

extension HTTPAnswer.ContentType {
    /// The content type of the access manager's JSON answers.
    static let accessManager = HTTPAnswer.ContentType(rawValue: PubNubErrorBody.accessManagerContentType)
}

/// Access tokens: granting and revoking (rules PV-86 to PV-88).
extension PubNubREST {
    /// The allowed lifetimes of a token, in minutes.
    private static let ttls = 1...43_200

    func grantToken(_ request: PubNubServerRequest) throws(PubNubErrorBody) -> HTTPAnswer {
        try PubNubAccess(application: application).check(request)
        guard let body = try? JSONValue(parsing: request.body), body.object != nil else { throw .couldNotParse }
        guard let ttl = body["ttl"]?.integer, Self.ttls.contains(ttl) else {
            return Self.invalid(
                "grant", message: "Invalid ttl",
                detail: "Range should be \(Self.ttls.lowerBound) to \(Self.ttls.upperBound) minute(s).", at: "ttl")
        }
        // Names are read from the JSON text, because a dictionary would merge two names that Swift counts as equal (rule PC-50).
        let named = (try? JSONText(bytes: request.body))?["permissions"]
        guard let permissions = body["permissions"], let resources = Self.grants(named?["resources"]),
            let patterns = Self.grants(named?["patterns"]), let categories = Self.rights(named?["categories"])
        else { throw .couldNotParse }
        switch permissions["uuid"] {
        case nil, .null?, .string?: break
        // A value of a wrong type is refused: if it was ignored, the token would be valid for every user (rule PV-185).
        default:
            return Self.invalid(
                "grant", message: "Invalid uuid", detail: "The field permissions.uuid has to be a string.", at: "permissions.uuid"
            )
        }
        guard !resources.isEmpty || !patterns.isEmpty || !categories.isEmpty else {
            return Self.invalid(
                "grant", message: "This grant contains no permissions", detail: "What are you granting?", at: "permissions")
        }
        for (pattern, _) in [patterns.channels, patterns.groups, patterns.users].joined()
        where (try? PubNubAccessPattern(pattern.text)) == nil {
            return Self.invalid(
                "grant", message: "Invalid pattern", detail: "The pattern is not a supported regular expression.",
                at: "permissions.patterns")
        }
        var token = PubNubAccessToken(
            issued: application.clock.unixSeconds(), ttl: ttl, resources: resources, patterns: patterns,
            metadata: permissions["meta"]?.object ?? [:], authorizedUser: permissions["uuid"]?.string,
            categories: Self.onWire(categories))
        token.sign(with: application.keyset.secretKey.revealed)
        return Self.success { body in body.member("token", token.text) }
    }

    /// Revokes a token at once. The answer is returned after the store has saved the revocation.
    func revokeToken(_ request: PubNubServerRequest, _ text: String) async throws(PubNubErrorBody) -> HTTPAnswer {
        try PubNubAccess(application: application).check(request)
        let now = application.clock.unixSeconds()
        guard let checked = application.grants.token(text, secretKeys: application.keyset.validSecretKeys.revealed) else {
            return Self.invalidToken("Token is invalid.")
        }
        guard !checked.token.isExpired(at: now) else { return Self.invalidToken("Token is expired.") }
        application.grants.forgetRevoked(before: now)
        let revocation = AccessEntry(.init(.revokedToken, checked.name), expires: checked.token.expires)
        application.grants.set(revocation)
        try await keep([revocation])
        return Self.success { _ in }
    }

    /// Writes `entries` to the store, and deletes the entries with `keys`, which were removed to make room for the new ones.
    func keep(_ entries: [AccessEntry], removing keys: [AccessEntry.Key] = []) async throws(PubNubErrorBody) {
        do {
            try await application.storage.store.save(
                access: entries, removing: keys, application: application.keyset.subscribeKey)
        } catch {
            throw .serviceUnavailable
        }
    }

    /// Parses the granted rights by kind and name; nil when they are malformed.
    private static func grants(_ value: JSONText?) -> PubNubGrants? {
        guard let channels = rights(value?["channels"]), let groups = rights(value?["groups"]),
            let users = rights(value?["uuids"]), let legacyUsers = rights(value?["users"]),
            let legacySpaces = rights(value?["spaces"])
        else { return nil }
        return PubNubGrants(
            channels: channels, groups: groups, users: users, legacyUsers: legacyUsers, legacySpaces: legacySpaces)
    }

    private static func rights(_ value: JSONText?) -> PubNubGrants.Rights? {
        guard let value, value.kind != .null else { return [:] }
        guard let members = value.members else { return nil }
        var rights: PubNubGrants.Rights = [:]
        for member in members {
            guard let bits = member.value.integer, (0...255).contains(bits) else { return nil }
            rights[Identifier(member.key)] = PubNubRights(rawValue: bits)
        }
        return rights
    }

    /// Renames categories from the names in a request to the names in a token: `channels` to `chan`, and `uuids` to `uuid`.
    private static func onWire(_ categories: PubNubGrants.Rights) -> PubNubGrants.Rights {
        var result: PubNubGrants.Rights = [:]
        for (name, rights) in categories {
            result[name == "channels" ? "chan" : name == "uuids" ? "uuid" : name] = rights
        }
        return result
    }

    private static func success(_ data: (inout JSONBody) -> Void) -> HTTPAnswer {
        accessManager(
            200,
            JSONBody.object { body in
                body.key("data")
                body.object { body in
                    body.member("message", "Success")
                    data(&body)
                }
                body.member("service", "Access Manager")
                body.member("status", 200)
            })
    }

    private static func invalid(_ source: String, message: String, detail: String, at location: String) -> HTTPAnswer {
        accessManager(
            400,
            JSONBody.object { body in
                body.key("error")
                body.object { body in
                    body.member("message", message)
                    body.member("source", source)
                    body.key("details")
                    body.array { body in
                        body.object { body in
                            body.member("message", detail)
                            body.member("location", location)
                            body.member("locationType", "body")
                        }
                    }
                }
                body.member("service", "Access Manager")
                body.member("status", 400)
            })
    }

    /// The error answer for a revocation of an invalid token. Its JSON keys are in another order than in answers to grants.
    private static func invalidToken(_ detail: String) -> HTTPAnswer {
        accessManager(
            400,
            JSONBody.object { body in
                body.key("error")
                body.object { body in
                    body.key("details")
                    body.array { body in
                        body.object { body in
                            body.member("location", "token")
                            body.member("locationType", "path")
                            body.member("message", detail)
                        }
                    }
                    body.member("message", "Invalid token")
                    body.member("source", "revoke")
                }
                body.member("service", "Access Manager")
                body.member("status", 400)
            })
    }

    static func accessManager(_ status: Int, _ body: [UInt8]) -> HTTPAnswer {
        var answer = HTTPAnswer(status: status, .accessManager, body)
        answer.hasRecordedFields = true
        return answer
    }
}
