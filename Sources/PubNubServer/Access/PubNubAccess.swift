import PubNubProtocol

/// Who may do what, for keysets that require grants (wire sheet 12; rules PV-80 to PV-89).
struct PubNubAccess: Sendable {
    let application: PubNubApplication

    /// What is answered instead of doing what a request asks for; nil when it may be done.
    ///
    /// Asked for every request of a keyset that requires grants, before anything else happens.
    func refusal(of request: PubNubServerRequest, _ route: PubNubRoute) -> PubNubErrorBody? {
        let needs = AccessNeed.needs(of: request, route)
        guard !needs.isEmpty else { return nil }
        if request.parameter("signature") != nil {
            // Whoever holds the secret key may do everything.
            do throws(PubNubErrorBody) {
                try check(request)
                return nil
            } catch {
                return error
            }
        }
        let now = application.clock.unixSeconds()
        let secretKey = application.keyset.secretKey.revealed
        guard let auth = request.auth, let checked = application.grants.token(auth, secretKey: secretKey) else {
            return Self.refusal(needs.filter { !application.grants.allows($0, auth: request.auth, at: now) })
        }
        if application.grants.isRevoked(checked.token) { return .tokenIsRevoked }
        if checked.token.isExpired(at: now) { return .tokenIsExpired }
        if let user = checked.token.authorizedUser, !Self.isBy(user, request) { return Self.refusal(needs) }
        return Self.refusal(needs.filter { !checked.allows($0) })
    }

    /// Checks the signature that requests of the access manager must have.
    func check(_ request: PubNubServerRequest) throws(PubNubErrorBody) {
        let keyset = application.keyset
        do throws(PubNubSignatureError) {
            try PubNubSignature.check(
                method: request.method, path: request.target.rawPath,
                parameters: request.target.parameters.map { PubNubRequest.Parameter($0.name, $0.value) }, body: request.body,
                publishKey: keyset.publishKey, subscribeKey: keyset.subscribeKey, secretKey: keyset.secretKey.revealed,
                now: application.clock.unixSeconds())
        } catch {
            switch error {
            case .timestampOutOfRange: throw .accessManager(400, "Invalid Timestamp")
            case .missing, .wrong: throw .accessManager(403, "Invalid Signature")
            }
        }
    }

    /// Whether a request is by a user and nobody else, however often it says who (rule PV-89).
    private static func isBy(_ user: String, _ request: PubNubServerRequest) -> Bool {
        let named = request.target.parameters.filter { $0.name == "uuid" }
        return !named.isEmpty && named.allSatisfy { $0.value == user }
    }

    /// Names what was denied, each once, and nothing else.
    private static func refusal(_ denied: [AccessNeed]) -> PubNubErrorBody? {
        guard !denied.isEmpty else { return nil }
        var seen: Set<AccessNeed> = []
        let once = denied.filter { seen.insert($0).inserted }
        return .forbidden(
            channels: once.filter { $0.kind == .channel }.map(\.name), groups: once.filter { $0.kind == .group }.map(\.name))
    }
}
