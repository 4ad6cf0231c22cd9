/// The rights that a held poll needs. They are checked again when one of them may have ended (rule PV-138).
struct HeldAccess: Sendable {
    let needs: [AccessNeed]
    /// The auth key or access token of the poll's request; nil when the request has neither.
    let auth: String?
    /// When the access token expires, in seconds since 1970; nil when the request has no token.
    let end: Int?
    /// The value of ``AccessGrants/version(at:)`` when the rights were last checked.
    private var version: Int

    /// - Parameter version: the value of ``AccessGrants/version(at:)``, read before the rights of the request were checked.
    init(_ needs: [AccessNeed], auth: String?, end: Int?, version: Int) {
        self.needs = needs
        self.auth = auth
        self.end = end
        self.version = version
    }

    /// Whether the token has expired at `now`, or the rights may have changed since the last call.
    mutating func mayHaveEnded(at now: Int, version: Int) -> Bool {
        defer { self.version = version }
        return version != self.version || end.map { now >= $0 } == true
    }
}
