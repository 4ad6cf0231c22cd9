import Logging
import NIOHTTP1

/// The log entries and traces of a request.
extension HTTPConnection {
    /// Rule SO-96: no path and no query, because clients put keys, signatures and tokens there.
    func logMetadata(status: Int, nanoseconds: Int64) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "connection": "\(loop.number)-\(serial)", "request": "\(loop.number)-\(serial)-\(number)",
            "route": "\(route)", "status": "\(status)", "microseconds": "\(nanoseconds / 1000)",
        ]
        if let span { metadata["trace"] = "\(span.parent.traceID)" }
        return metadata
    }

    /// Logs the reason why a request was refused, in the words of the client's answer, which contain no secret (rule SO-116). Requests
    /// for unknown paths are not logged, because every scanner sends them.
    func logRefusal(_ answer: HTTPAnswer, nanoseconds: Int64) {
        let blame: Blame = answer.status >= 500 ? .server : answer.status == 404 || answer.status == 405 ? .nobody : .client
        loop.state.note("request refused", blame, in: core) {
            var metadata = logMetadata(status: answer.status, nanoseconds: nanoseconds)
            metadata["reason"] = "\(logText(answer.body))"
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
