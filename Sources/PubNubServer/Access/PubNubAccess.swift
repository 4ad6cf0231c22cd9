import Identifiers
import PubNubProtocol
import ServerRuntime

/// Decides which requests are allowed for keysets that require grants (rules PV-80 to PV-89).
struct PubNubAccess: Sendable {
    let application: PubNubApplication

    /// Checks the rights of a request. Returns the error answer, or nil when the request is allowed.
    ///
    /// For a keyset that requires grants, call it before anything else is done for a request.
    func refusal(of request: PubNubServerRequest, _ route: PubNubRoute) -> PubNubErrorBody? {
        let needs = AccessNeed.needs(of: request, route)
        guard !needs.isEmpty else { return nil }
        if request.parameter("signature") != nil {
            // A request signed with the secret key may do everything.
            do throws(PubNubErrorBody) {
                try check(request)
                return nil
            } catch {
                return error
            }
        }
        if let user = token(request.auth)?.token.authorizedUser, !Self.isBy(user, request, route: route) {
            return refusal(of: [], auth: request.auth) ?? Self.refusal(needs)
        }
        return refusal(of: needs, auth: request.auth)
            ?? refusal(of: AccessNeed.needs(ofBody: request, route), auth: request.auth)
    }

    /// Checks whether a token or an auth key (`auth`; nil without either) has all rights in `needs`. Returns nil if so; otherwise the error
    /// answer.
    func refusal(of needs: [AccessNeed], auth: String?) -> PubNubErrorBody? {
        let now = application.clock.unixSeconds()
        guard let checked = token(auth) else {
            return Self.refusal(needs.filter { !application.grants.allows($0, auth: auth, at: now) })
        }
        if application.grants.isRevoked(checked) { return .tokenIsRevoked }
        if checked.token.isExpired(at: now) { return .tokenIsExpired }
        return Self.refusal(needs.filter { !checked.allows($0) })
    }

    /// The owner against whose share of the keyset's limits the additions of a request count (rule PV-180): the user in the request's
    /// token, otherwise the client's address. Nil when the request is signed with the keyset's secret key, or when its address is not
    /// limited. Call it only for a request that is allowed.
    func owner(of request: PubNubServerRequest) -> Identifier? {
        if request.parameter("signature") != nil, (try? check(request)) != nil { return nil }
        if application.keyset.requiresGrants, let user = token(request.auth)?.token.authorizedUser {
            return Self.owner(user: user)
        }
        return request.client.map { Self.owner(address: $0) }
    }

    static func owner(user: String) -> Identifier { Identifier("user:" + user) }
    static func owner(address: String) -> Identifier { Identifier("address:" + address) }

    private func token(_ auth: String?) -> CheckedToken? {
        auth.flatMap { application.grants.token($0, secretKeys: application.keyset.validSecretKeys.revealed) }
    }

    /// The current version of the grants. Read it before you check the rights of a poll. If a right is lost during the check, the poll is
    /// held with an older version than the current one, so its rights are checked again.
    var version: Int { application.grants.version(at: application.clock.unixSeconds()) }

    /// The rights that a poll needs while it is held; nil for a signed request, whose rights do not end.
    func held(_ request: PubNubServerRequest, _ route: PubNubRoute, version: Int) -> HeldAccess? {
        guard request.parameter("signature") == nil else { return nil }
        return HeldAccess(
            AccessNeed.needs(of: request, route), auth: request.auth, end: token(request.auth)?.token.expires, version: version)
    }

    /// Checks the signature of a request; access manager requests must be signed with the keyset's secret key.
    ///
    /// - Throws: the error answer when the signature or the timestamp is missing or wrong.
    func check(_ request: PubNubServerRequest) throws(PubNubErrorBody) {
        let keyset = application.keyset
        do throws(PubNubSignatureError) {
            try PubNubSignature.check(
                method: request.method, path: request.target.rawPath,
                parameters: request.target.parameters.map { PubNubRequest.Parameter($0.name, $0.value) },
                rawQuery: request.target.rawQuery, body: request.body,
                publishKey: keyset.publishKey, subscribeKey: keyset.subscribeKey,
                secretKeys: keyset.validSecretKeys.revealed, now: application.clock.unixSeconds())
        } catch {
            switch error {
            case .timestampOutOfRange: throw .accessManager(400, "Invalid Timestamp")
            case .missing, .wrong: throw .accessManager(403, "Invalid Signature")
            }
        }
    }

    /// Whether `user` is the only user that a request names in its path and parameters (rules PV-89 and PV-137).
    private static func isBy(_ user: String, _ request: PubNubServerRequest, route: PubNubRoute) -> Bool {
        // The state belongs to the user in the path, no matter which user sends the request.
        if case .setState(_, let other) = route, !other.isExactly(user) { return false }
        let named = request.target.parameters.filter { $0.name == "uuid" }
        return !named.isEmpty && named.allSatisfy { $0.value.isExactly(user) }
    }

    /// The error answer that lists each refused resource once; nil when no right was denied.
    private static func refusal(_ denied: [AccessNeed]) -> PubNubErrorBody? {
        guard !denied.isEmpty else { return nil }
        var seen: Set<AccessNeed> = []
        let once = denied.filter { seen.insert($0).inserted }
        return .forbidden(
            channels: once.filter { $0.kind == .channel }.map(\.name.text),
            groups: once.filter { $0.kind == .group }.map(\.name.text),
            users: once.filter { $0.kind == .user }.map(\.name.text))
    }
}

// The log fields that explain why a request was refused (rule SO-150).
extension PubNubAccess {
    /// Log fields for a request that was refused with 403. The client gets the same answer for several reasons: the field `reason` contains
    /// the actual one, and `signed` the text that a correct signature has to cover.
    ///
    /// - Parameter answer: the body of the answer to the client.
    func explanation(of answer: [UInt8], to request: PubNubServerRequest) -> [String: String] {
        func says(_ message: String) -> Bool { answer.starts(with: Array("{\"message\":\"\(message)\"".utf8)) }
        if says("Invalid Signature") {
            guard request.parameter("signature") != nil else {
                return ["reason": "The request is not signed with the secret key."]
            }
            return ["signed": signed(request)]
        }
        guard says("Forbidden") else { return [:] }
        guard let auth = request.auth else { return ["reason": "The request has neither a token nor a signature."] }
        guard token(auth) != nil else {
            return ["reason": "The auth key has no grant for the requested resource, or the token is not one of this keyset."]
        }
        return ["reason": "The token does not grant the rights that the request needs, or it is for another user."]
    }

    /// The text that the signature of a request has to cover, for the log. The path is included for access manager requests only, because
    /// other paths may contain a message. Of the query parameters only the timestamp is shown with its value.
    private func signed(_ request: PubNubServerRequest) -> String {
        let path = request.target.rawPath
        let isShown = ["/v3/pam/", "/v2/auth/", "/v1/auth/"].contains { path.utf8.starts(with: $0.utf8) }
        let query = PubNubSignature.query(
            request.target.parameters.map { PubNubRequest.Parameter($0.name, $0.name == "timestamp" ? $0.value : "X") })
        let key = logKey(application.keyset.publishKey)
        let text = "\(request.method) \(key) \(isShown ? path : "PATH") \(query) and a body of \(request.body.count) bytes"
        return logText(text.utf8, limit: 512)
    }
}
