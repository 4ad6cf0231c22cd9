import NIOCore

/// An answer, complete, so that it leaves in one write.
struct HTTPAnswer: Hashable, Sendable {
    enum ContentType: String, Hashable, Sendable {
        case json = "application/json"
        case text = "text/plain; charset=utf-8"
        case metrics = "text/plain; version=0.0.4; charset=utf-8"
    }

    var status: Int
    var contentType: ContentType
    var body: [UInt8]
    /// Further header fields. Names and values must be free of line breaks: only constants go in here.
    var fields: [(name: String, value: String)] = []

    init(status: Int = 200, _ contentType: ContentType, _ body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    init(_ problem: HTTPProblem) {
        self.init(status: problem.status, .text, Array((problem.message + "\n").utf8))
    }

    /// Success without anything to say.
    static let empty = HTTPAnswer(.json, Array("{}".utf8))

    /// Appends the answer in HTTP/1.1. An answer to HEAD keeps its length but not its body.
    func write(to buffer: inout ByteBuffer, isLast: Bool, toHead: Bool = false) {
        buffer.reserveCapacity(minimumWritableBytes: body.count + 192)
        buffer.writeString("HTTP/1.1 \(status) \(Self.reason(status))\r\ncontent-type: \(contentType.rawValue)\r\n")
        buffer.writeString("content-length: \(body.count)\r\n")
        for field in fields { buffer.writeString("\(field.name): \(field.value)\r\n") }
        buffer.writeString(isLast ? "connection: close\r\n\r\n" : "connection: keep-alive\r\n\r\n")
        if !toHead { buffer.writeBytes(body) }
    }

    static func reason(_ status: Int) -> String {
        switch status {
        case 101: "Switching Protocols"
        case 200: "OK"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 426: "Upgrade Required"
        case 503: "Service Unavailable"
        default: "Error"
        }
    }

    static func == (left: HTTPAnswer, right: HTTPAnswer) -> Bool {
        left.status == right.status && left.contentType == right.contentType && left.body == right.body
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(body)
    }
}
