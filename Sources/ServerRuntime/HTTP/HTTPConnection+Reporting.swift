import Logging
import NIOHTTP1

/// What the log and traces say of a request.
extension HTTPConnection {
    /// Rule SO-96: no path and no query, since clients put keys, signatures and tokens there.
    func logMetadata(status: Int, nanoseconds: Int64) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "connection": "\(loop.number)-\(serial)", "request": "\(loop.number)-\(serial)-\(number)",
            "route": "\(route)", "status": "\(status)", "microseconds": "\(nanoseconds / 1000)",
        ]
        if let span { metadata["trace"] = "\(span.parent.traceID)" }
        return metadata
    }

    var route: String { core.requestKinds.labels[Int(kind.index)] }

    func endSpan(status: Int?) {
        guard let ended = span else { return }
        span = nil
        ended.end(route: route, status: status)
    }
}
