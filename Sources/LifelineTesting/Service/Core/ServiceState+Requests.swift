import HTTPTransport
import WireCoding

// Dispatching an HTTP request to the method that answers it.
extension ServiceState {
    /// Answers a request, or leaves it unanswered if the test has scripted this.
    mutating func answer(_ id: UInt64, _ line: DecodedRequest) {
        guard let exchange = requests[id] else { return }
        let request = TestRequest(exchange.request)
        requestLog.append(request)
        if let answer = answerRequest?(request) {
            return finish(
                id,
                .success(
                    HTTPCallAnswer(
                        status: answer.status,
                        headers: answer.headers.sorted { $0.key < $1.key }.map { HTTPField($0.key, $0.value) },
                        body: Array(answer.body.utf8))))
        }
        let path = line.path
        switch (path.first, path.count) {
        case ("apps", 3) where path[2] == "events": pusherEvents(id, line)
        case ("apps", 5) where path[2] == "channels" && path[4] == "users": pusherUsers(id, of: path[3])
        case ("time", _): finish(id, json: "[\(nextTick())]")
        case ("publish", 6...), ("signal", 6...): pubnubPublish(id, line)
        case ("v2", 5) where path[1] == "subscribe": pubnubSubscribe(id, line)
        case ("v2", 6) where path[1] == "history": pubnubOldHistory(id, line)
        case ("v1", 7...) where path[1] == "message-actions": pubnubActions(id, line)
        case ("v3", 6) where path[1].hasPrefix("history"): pubnubHistory(id, line)
        case ("v2", 5...) where path[1] == "presence": pubnubPresence(id, line)
        case ("v4", 4) where path[3] == "issue": issueToken(id, line)
        default:
            if authorize(id, line) { return }
            let hint =
                "TestService has no answer to \(line.method) /\(path.joined(separator: "/")). "
                + "Script the answer with service.onRequest { request in … }."
            finish(
                id, status: 501,
                Array(#"{"status":501,"error":true,"message":\#(JSONWriter.string(hint))}"#.utf8))
        }
    }
}
