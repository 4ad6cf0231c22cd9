import Identifiers
import PubNubProtocol
import ServerRuntime

/// Decides whether a request is allowed, for keysets that require grants (rules PV-80 to PV-89).
struct PubNubAccess: Sendable {
    let application: PubNubApplication

    /// The error answer for a request; nil when the request is allowed.
    ///
    /// Called first for every request of a keyset that requires grants.
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

    /// The error answer for a token, an auth key or neither; nil when all `needs` are granted.
    func refusal(of needs: [AccessNeed], auth: String?) -> PubNubErrorBody? {
        let now = application.clock.unixSeconds()
        guard let checked = token(auth) else {
            return Self.refusal(needs.filter { !application.grants.allows($0, auth: auth, at: now) })
        }
        if application.grants.isRevoked(checked) { return .tokenIsRevoked }
        if checked.token.isExpired(at: now) { return .tokenIsExpired }
        return Self.refusal(needs.filter { !checked.allows($0) })
    }

    /// Returns the owner whose share the additions of a request count against (rule PV-180): the user in its token,
    /// otherwise its address. Nil for a request that is signed with the keyset's secret key, or whose address is not limited. Call it
    /// only for a request that is allowed.
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

    /// The current version of the grants. Read it before you check the rights of a poll that may be held.
    var version: Int { application.grants.version(at: application.clock.unixSeconds()) }

    /// The rights that must stay valid while a poll is held; nil for a signed request, whose rights do not end.
    func held(_ request: PubNubServerRequest, _ route: PubNubRoute, version: Int) -> HeldAccess? {
        guard request.parameter("signature") == nil else { return nil }
        return HeldAccess(
            AccessNeed.needs(of: request, route), auth: request.auth, end: token(request.auth)?.token.expires, version: version)
    }

    /// Checks the signature that requests of the access manager must have.
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

    /// Whether this user is the only user that a request names, in all of its parameters (rules PV-89 and PV-137).
    private static func isBy(_ user: String, _ request: PubNubServerRequest, route: PubNubRoute) -> Bool {
        // The state belongs to the user in the path, no matter which user sends the request.
        if case .setState(_, let other) = route, !other.isExactly(user) { return false }
        let named = request.target.parameters.filter { $0.name == "uuid" }
        return !named.isEmpty && named.allSatisfy { $0.value.isExactly(user) }
    }

    /// The error answer that lists each refused resource once.
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

// What the log says of a refusal (rule SO-150).
extension PubNubAccess {
    /// Why a request was refused with 403, where the client gets one answer for several reasons: `reason`, and the signed text as
    /// `signed`.
    ///
    /// - Parameter answer: the body of the answer.
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
            return ["reason": "The auth key has no grant for this, or the token is not one of this keyset."]
        }
        return ["reason": "The token does not grant what the request needs, or is for another user."]
    }

    /// The text whose signature is wrong. The path is shown for calls of the access manager only, because others may have a message in it;
    /// of parameters the timestamp alone has its value.
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
