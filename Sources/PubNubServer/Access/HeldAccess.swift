/// The rights that a held poll needs, which are checked again when a right may have been lost (rule PV-138).
struct HeldAccess: Sendable {
    let needs: [AccessNeed]
    /// An auth key or an access token.
    let auth: String?
    /// When the token expires, in seconds since 1970; nil without a token.
    let end: Int?
    /// The version of the grants when the needs were checked.
    private var version: Int

    /// - Parameter version: the version of the grants, read before the request was allowed.
    init(_ needs: [AccessNeed], auth: String?, end: Int?, version: Int) {
        self.needs = needs
        self.auth = auth
        self.end = end
        self.version = version
    }

    /// Whether the rights may have changed since the last call.
    mutating func mayHaveEnded(at now: Int, version: Int) -> Bool {
        defer { self.version = version }
        return version != self.version || end.map { now >= $0 } == true
    }
}
