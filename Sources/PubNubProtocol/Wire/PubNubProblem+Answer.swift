import ConnectionEngine
import WireCoding

extension PubNubProblem {
    /// The problem of an answer; nil for a successful one (rules PN-7 to PN-11).
    ///
    /// The HTTP status determines the problem, unless the body has a numeric `status` above 200, which replaces it. A successful status
    /// with a body that is not JSON is not an answer of this service.
    ///
    /// - Parameter body: used during the call only.
    public init?(_ head: HTTPAnswerHead, body: UnsafeRawBufferPointer) {
        var summary: PubNubErrorSummary?
        var syntax: JSONSyntaxError?
        if Self.isJSON(head.contentType), body.count <= PubNubLimits.answerBytes {
            do throws(JSONSyntaxError) {
                summary = try PubNubErrorSummary(reading: body)
            } catch {
                syntax = error
                // A call decodes the readable elements of such an answer (rule PN-40).
                if let repaired = JSONRepair(body, .callAnswers) {
                    summary = repaired.bytes.withUnsafeBytes { try? PubNubErrorSummary(reading: $0) }
                }
            }
        }
        let isGood = (200..<300).contains(head.status)
        if isGood, summary == nil {
            let reason =
                if let syntax {
                    "The answer is not JSON: \(syntax)."
                } else if body.count > PubNubLimits.answerBytes {
                    "The answer is too long."
                } else if head.contentType?.lowercased().hasPrefix("text/html") == true {
                    // Captive portals answer with a web page and status 200.
                    "A web page came instead of the service's answer: the network may require a sign-in first."
                } else {
                    "The answer is not JSON but of another type."
                }
            self = .malformed(reason, status: head.status)
            return
        }
        var status = head.status
        if let stated = summary?.status, stated > 200, stated < 1000 { status = stated }
        if (200..<300).contains(status) { return nil }
        self.init(
            Self.failure(status: status, retryAfter: head.retryAfter), information: summary?.information,
            channels: summary?.channels ?? [], channelGroups: summary?.channelGroups ?? [], payload: summary?.payload)
    }

    /// The problem of an answer that does not follow the protocol.
    public static func malformed(_ reason: String, status: Int? = nil) -> PubNubProblem {
        PubNubProblem(ConnectionFailure(.malformedResponse, reason, httpStatus: status))
    }

    /// Whether an answer's content type is one of this service. The body of an answer without a type decides.
    static func isJSON(_ contentType: String?) -> Bool {
        guard let contentType else { return true }
        // Compared without a copy, because this runs for every answer.
        var type = contentType.utf8[...]
        type = type[..<(type.firstIndex(of: UInt8(ascii: ";")) ?? type.endIndex)]
        while type.first == 0x20 || type.first == 0x09 { type.removeFirst() }
        while type.last == 0x20 || type.last == 0x09 { type.removeLast() }
        return ["text/javascript", "application/json", "text/json"].contains { (name: StaticString) in
            let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
            return type.elementsEqual(name) { byte, expected in
                (65...90).contains(byte) ? byte | 0x20 == expected : byte == expected
            }
        }
    }

    /// The failure for a status that is not 2xx.
    private static func failure(status: Int, retryAfter: Duration?) -> ConnectionFailure {
        func failure(
            _ category: StatusCategory, _ reason: String, origin: ConnectionFailure.Origin = .server
        ) -> ConnectionFailure {
            ConnectionFailure(category, reason, origin: origin, httpStatus: status)
        }
        switch status {
        case 300..<400:
            return failure(.malformedResponse, "The answer is a redirect, and redirects are not followed.", origin: .local)
        case 511: return failure(.malformedResponse, "The network requires a sign-in first.", origin: .local)
        case 400, 411: return failure(.badRequest, "The service does not accept the request.")
        case 401, 403: return failure(.accessDenied, "The service denies access.")
        case 407: return failure(.proxyUnavailable, "A proxy requires credentials.", origin: .local)
        case 408: return failure(.timeout, "The service waited too long for the request.")
        case 414, 431: return failure(.requestTooLong, "The request is too long for the service.")
        case 481: return failure(.malformedFilter, "The service does not understand the filter expression.")
        case 429, 503:
            var overloaded = failure(.overloaded, "The service is overloaded.")
            overloaded.retryAfter = retryAfter
            return overloaded
        case 400..<500: return failure(.unknown, "The service refuses the request.")
        case 500..<600: return failure(.unknown, "The service failed.")
        default: return failure(.malformedResponse, "The answer has an unknown status.", origin: .local)
        }
    }
}
