import PubNubProtocol

/// Who may do what, for keysets that require grants.
struct PubNubAccess: Sendable {
    let application: PubNubApplication

    /// What is answered instead of doing what a request asks for; nil when it may be done.
    ///
    /// Asked for every request of a keyset that requires grants, before anything else happens.
    func refusal(of request: PubNubServerRequest, _ route: PubNubRoute) -> PubNubErrorBody? {
        nil
    }
}
