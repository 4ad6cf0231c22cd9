import Logging
import NIOHTTP1

/// The log entries and traces of a request.
extension HTTPConnection {
    /// Rule SO-96: no path and no query, because clients put keys, signatures and tokens there. What a wrong signature is about is checked
    /// before it is written (SO-150).
    func logMetadata(status: Int, nanoseconds: Int64) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "connection": "\(loop.number)-\(serial)", "request": "\(loop.number)-\(serial)-\(number)",
            "route": "\(route)", "status": "\(status)", "microseconds": "\(nanoseconds / 1000)",
        ]
        if let span { metadata["trace"] = "\(span.parent.traceID)" }
        return metadata
    }

    /// Logs the reason why a request was refused, in the words of the client's answer, which contain no secret (rule SO-116). Requests
    /// for unknown paths are not logged, because every scanner sends them; those that name an application are.
    func logRefusal(_ answer: HTTPAnswer, nanoseconds: Int64) {
        let isUnknownPath = (answer.status == 404 || answer.status == 405) && answer.details["named"] == nil
        let blame: Blame = answer.status >= 500 ? .server : isUnknownPath ? .nobody : .client
        loop.state.note("request refused", blame, in: core) {
            var metadata = logMetadata(status: answer.status, nanoseconds: nanoseconds)
            metadata["reason"] = "\(logText(RefusalSentence.of(answer).utf8))"
            for (name, text) in answer.details { metadata[name] = "\(text)" }
            if let address = remoteAddress?.ipAddress { metadata["address"] = "\(address)" }
            return metadata
        }
    }

    var route: String { core.requestKinds.labels[Int(kind.index)] }

    func endSpan(status: Int?) {
        guard let ended = span else { return }
        span = nil
        ended.end(route: route, status: status)
    }
}
