import ConnectionEngine
import WireCoding

extension PubNubProblem {
    /// The error that an HTTP answer reports; nil for a successful answer (rules PN-7 to PN-11).
    ///
    /// The HTTP status determines the error. A numeric `status` above 200 in the body replaces the HTTP status. If the status is successful
    /// but the body is not JSON, the answer comes from another server, which is an error, too.
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
                // A damaged answer that can be repaired is no error, because the decoder of a call can still read the undamaged elements
                // (rule PN-40).
                if let repaired = JSONRepair(body, .callAnswers) {
                    summary = repaired.bytes.withUnsafeBytes { try? PubNubErrorSummary(reading: $0) }
                }
            }
        }
        let isGood = (200..<300).contains(head.status)
        if isGood, summary == nil {
            let reason =
                if let syntax {
                    "The service's answer is not valid JSON: \(syntax)."
                } else if body.count > PubNubLimits.answerBytes {
                    "The service's answer is longer than \(PubNubLimits.answerBytes) bytes."
                } else if head.contentType?.lowercased().hasPrefix("text/html") == true {
                    // A captive portal answers with a web page and status 200.
                    "A web page came instead of the service's answer: the network may require a sign-in first."
                } else {
                    "The content type of the service's answer is not a JSON type. Check the origin."
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

    /// The error for an answer that does not follow the protocol.
    public static func malformed(_ reason: String, status: Int? = nil) -> PubNubProblem {
        PubNubProblem(ConnectionFailure(.malformedResponse, reason, httpStatus: status))
    }

    /// Whether the service uses this content type for JSON. An answer without a content type is accepted, because its body is checked
    /// later.
    static func isJSON(_ contentType: String?) -> Bool {
        guard let contentType else { return true }
        // The type is compared in place, without a copy, because this code runs for every answer.
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

    /// The failure for an HTTP status that is not 2xx.
    private static func failure(status: Int, retryAfter: Duration?) -> ConnectionFailure {
        func failure(
            _ category: StatusCategory, _ reason: String, origin: ConnectionFailure.Origin = .server
        ) -> ConnectionFailure {
            ConnectionFailure(category, reason, origin: origin, httpStatus: status)
        }
        switch status {
        case 300..<400:
            return failure(
                .malformedResponse, "The service answered with a redirect, and redirects are not followed. Check the origin.",
                origin: .local)
        case 511:
            return failure(
                .malformedResponse, "The network requires a sign-in before it lets requests through. Sign in with a browser.",
                origin: .local)
        case 400, 411:
            return failure(
                .badRequest, "The service refused the request as invalid. Check the keys and the arguments of the call.")
        case 401, 403: return failure(.accessDenied, "The service denied access. Check the auth key or token.")
        case 407:
            return failure(.proxyUnavailable, "A proxy requires credentials. Set its user name and password.", origin: .local)
        case 408: return failure(.timeout, "The service did not receive the complete request in time. Send it again.")
        case 414, 431: return failure(.requestTooLong, "The request is too long for the service. Use fewer or shorter names.")
        case 481: return failure(.malformedFilter, "The service cannot parse the filter expression. Correct its syntax.")
        case 429, 503:
            var overloaded = failure(.overloaded, "The service is overloaded. Send the request again later.")
            overloaded.retryAfter = retryAfter
            return overloaded
        case 400..<500: return failure(.unknown, "The service refused the request with status \(status).")
        case 500..<600: return failure(.unknown, "The service failed with status \(status). Send the request again later.")
        default:
            return failure(
                .malformedResponse, "The service answered with the unknown status \(status). Check the origin.", origin: .local)
        }
    }
}
