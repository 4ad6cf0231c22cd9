import Logging
import NIOHTTP1

/// The log entries and traces of a request.
extension HTTPConnection {
    /// The metadata of the log entry for a request. It has no path and no query, because clients put keys, signatures and tokens there
    /// (rule SO-96). The text of a wrong signature is checked before it is logged (SO-150).
    func logMetadata(status: Int, nanoseconds: Int64) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "connection": "\(loop.number)-\(serial)", "request": "\(loop.number)-\(serial)-\(number)",
            "route": "\(route)", "status": "\(status)", "microseconds": "\(nanoseconds / 1000)",
        ]
        if let span { metadata["trace"] = "\(span.parent.traceID)" }
        return metadata
    }

    /// Logs why a request was refused, with the sentence of the client's answer, which contains no secret (rule SO-116). A request for an
    /// unknown path is logged only if it names an application, because scanners request many unknown paths.
    func logRefusal(_ answer: HTTPAnswer, nanoseconds: Int64) {
        let isUnknownPath = (answer.status == 404 || answer.status == 405) && answer.details["named"] == nil
        let blame: Blame = answer.status >= 500 ? .server : isUnknownPath ? .nobody : .client
        loop.state.note("request refused", blame, in: core) {
            var metadata = logMetadata(status: answer.status, nanoseconds: nanoseconds)
            metadata["reason"] = "\(logText(RefusalSentence.of(answer).utf8))"
            for (name, text) in answer.details { metadata[name] = "\(text)" }
            if let address = remoteAddress?.ipAddress { metadata["address"] = "\(address)" }
            if let origin { metadata["origin"] = "\(logText(origin.utf8))" }
            if let bytes = requestBytes { metadata["received_bytes"] = "\(bytes)" }
            return metadata
        }
    }

    /// The number of received bytes of the request: its head, and the accepted bytes of its body. Nil when this number is unknown, because
    /// the library's parser has read only a part of the head.
    private var requestBytes: Int? {
        if headBytes > 0 { return Int(headBytes) + machine.bodyBytes }
        return unread.readableBytes > 0 ? unread.readableBytes : nil
    }

    /// The first 200 bytes of an origin, for the log. The former text is reused if it is equal, because a client sends the same origin with
    /// each request.
    static func origin(_ bytes: some Collection<UInt8>, _ former: String?) -> String {
        let start = bytes.prefix(200)
        if let former, former.utf8.elementsEqual(start) { return former }
        return String(decoding: start, as: UTF8.self)
    }

    /// The length in bytes of a head that the parser has read, assuming one space after each colon.
    static func length(of head: HTTPRequestHead) -> Int {
        let line = head.method.rawValue.utf8.count + head.uri.utf8.count + " HTTP/1.1".utf8.count + 3
        return head.headers.reduce(line + 2) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }

    var route: String { core.requestKinds.labels[Int(kind.index)] }

    func endSpan(status: Int?) {
        guard let ended = span else { return }
        span = nil
        ended.end(route: route, status: status)
    }
}
