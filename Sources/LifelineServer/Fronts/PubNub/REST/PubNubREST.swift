import PubNubProtocol

/// Answers everything but subscribing, publishing and the time.
struct PubNubREST: Sendable {
    let application: PubNubApplication

    func answer(_ request: PubNubServerRequest, _ route: PubNubRoute, reply: @escaping PubNubReply) {
        reply(HTTPAnswer(PubNubErrorBody.plain(404, "Not Found")))
    }
}
