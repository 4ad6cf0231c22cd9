import NIOCore

/// A complete HTTP answer with status, fields and body, which is sent in one write.
package struct HTTPAnswer: Hashable, Sendable {
    /// The value of the `content-type` field. All values are constants without line breaks.
    package struct ContentType: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package static let json = ContentType(rawValue: "application/json")
        package static let text = ContentType(rawValue: "text/plain; charset=utf-8")
        package static let metrics = ContentType(rawValue: "text/plain; version=0.0.4; charset=utf-8")

        package init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    package var status: Int
    package var contentType: ContentType
    package var body: [UInt8]
    /// Further header fields. Names and values must contain no line breaks: they are constants, numbers, or checked before.
    package var fields: [(name: String, value: String)] = []
    /// Whether the answer has the CORS header fields that PubNub's services send (rule PV-5).
    package var hasRecordedFields = false
    /// Further facts about a refused request for the log entry, which also has status and sentence (rule SO-150). The keys are `service`;
    /// `app`; `named` for the beginning of a key or id that no application has; `signed` for the text whose signature is wrong; and
    /// `reason` where clients get one sentence for several reasons. Details are never sent to the client, and contain no secret, token or
    /// payload.
    package var details: [String: String] = [:]
    /// The reservation of a large body, which is kept until the body is sent.
    package var reservation: BodyReservation?

    package init(status: Int = 200, _ contentType: ContentType, _ body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    package init(_ problem: HTTPProblem) {
        self.init(status: problem.status, .text, Array((problem.message + "\n").utf8))
        if let seconds = problem.retryAfter { fields = [("retry-after", String(seconds))] }
        details = problem.details
        if problem == .upgradeRequired { fields.append(("upgrade", "websocket")) }
    }

    /// The answer to a CONNECT request: no resource of this server allows that method (RFC 9110, 15.5.6).
    package static let tunnelRefused: HTTPAnswer = {
        var answer = HTTPAnswer(HTTPProblem(405, "The method CONNECT is not allowed: this server is not a proxy."))
        answer.fields = [("allow", "")]
        return answer
    }()

    /// The answer of a successful call that returns nothing: `{}` with status 200.
    package static let empty = HTTPAnswer(.json, Array("{}".utf8))

    /// Returns the answer to a browser's preflight request (rule SR-19).
    package static func preflight(isAllowed: Bool) -> HTTPAnswer {
        var answer = HTTPAnswer(status: 204, .text, [])
        if isAllowed { answer.fields = CrossOrigin.preflightFields }
        return answer
    }

    /// Appends the answer in the format of HTTP/1.1. An answer to HEAD has a length but no body; an answer with 204 has neither.
    ///
    /// - Parameter date: the value of the `Date` field, from which clients that sign requests compute the difference to their own clock
    ///   (SR-25).
    package func write(
        to buffer: inout ByteBuffer, isLast: Bool, toHead: Bool = false, date: String, _ crossOrigin: CrossOrigin,
        _ page: CrossOrigin.Page
    ) {
        buffer.reserveCapacity(minimumWritableBytes: body.count + 256)
        buffer.writeString("HTTP/1.1 \(status) \(Self.reason(status))\r\ndate: \(date)\r\n")
        if status != 204 {
            buffer.writeString("content-type: \(contentType.rawValue)\r\ncontent-length: \(body.count)\r\n")
        }
        // Metrics get no CORS fields, because scripts of web pages have no need to read them.
        if contentType != .metrics {
            let hasCaching = fields.contains { $0.name == "cache-control" }
            crossOrigin.write(for: page, isRecorded: hasRecordedFields, hasCaching: hasCaching, to: &buffer)
        }
        for field in fields { buffer.writeString("\(field.name): \(field.value)\r\n") }
        // An answer with an `Upgrade` field must also name that field in `Connection` (RFC 9110, 7.8).
        let upgrade = status == 426 ? "upgrade, " : ""
        buffer.writeString("connection: \(upgrade)\(isLast ? "close" : "keep-alive")\r\n\r\n")
        if !toHead { buffer.writeBytes(body) }
    }

    package static func reason(_ status: Int) -> String {
        switch status {
        case 101: "Switching Protocols"
        case 200: "OK"
        case 204: "No Content"
        case 307: "Temporary Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 402: "Payment Required"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 409: "Conflict"
        case 412: "Precondition Failed"
        case 415: "Unsupported Media Type"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 481: "Malformed Filter Expression"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        default: "Error"
        }
    }

    package static func == (left: HTTPAnswer, right: HTTPAnswer) -> Bool {
        left.status == right.status && left.contentType == right.contentType && left.body == right.body
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(body)
    }
}
