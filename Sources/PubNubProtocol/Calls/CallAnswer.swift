import ConnectionEngine
import WireCoding

/// Reads the answers of calls (rules PL-5 to PL-8). An answer of an unexpected form is reported as `malformedResponse`. If the service
/// reports an error in an answer with a successful HTTP status, the thrown error contains the service's text.
enum CallAnswer {
    /// Parses the answer as JSON. If the answer is damaged, the result contains the elements that can still be read (rules PN-40 to PN-42).
    static func json(_ body: [UInt8]) throws(PubNubProblem) -> JSONText {
        do throws(JSONSyntaxError) {
            return try JSONText(bytes: body)
        } catch {
            let repaired = body.withUnsafeBytes { JSONRepair($0, .callAnswers) }
            guard let repaired, let text = try? JSONText(bytes: repaired.bytes) else {
                throw .malformed("The service's answer is not valid JSON: \(error).")
            }
            return text
        }
    }

    /// Parses the answer as an object. Throws the service's error when the answer reports one.
    static func object(_ body: [UInt8]) throws(PubNubProblem) -> Members {
        let text = try json(body)
        guard let members = Members(text) else { throw .malformed("The service's answer is not a JSON object.") }
        if tellsOfError(members["error"]) {
            let summary = body.withUnsafeBytes { try? PubNubErrorSummary(reading: $0) }
            throw refused(summary)
        }
        return members
    }

    /// Parses the answer as a list and returns its elements. The answer `[0,"…"]` reports an error, which is thrown.
    static func list(_ body: [UInt8]) throws(PubNubProblem) -> [JSONText] {
        let text = try json(body)
        if text.kind == .object {
            // An object in place of a list comes from a proxy in front of the service. The object may report an error, which `object`
            // throws.
            _ = try object(body)
        }
        guard let elements = text.elements else { throw .malformed("The service's answer is not a JSON array.") }
        if elements.count >= 2, elements[0].integer == 0, let words = elements[1].string {
            throw PubNubProblem(
                ConnectionFailure(
                    .badRequest, "The service refused the request as invalid. Check the keys and the arguments of the call.",
                    origin: .server, httpStatus: 200),
                information: String(words.prefix(PubNubLimits.informationLength)))
        }
        return elements
    }

    /// Checks the answer to a call that returns no value: `[1,"…"]`, or an object that reports no error.
    static func acknowledgment(_ body: [UInt8]) throws(PubNubProblem) {
        let text = try json(body)
        if text.kind == .array { _ = try list(body) } else { _ = try object(body) }
    }

    /// Whether the member `error` reports an error: `true`, `1` or a text. An object does not count: it contains details of an error that
    /// the status already reports.
    private static func tellsOfError(_ error: JSONText?) -> Bool {
        switch error?.kind {
        case .bool: error?.bool == true
        case .number: error?.integer != 0
        case .string: error?.string?.isEmpty == false
        default: false
        }
    }

    private static func refused(_ summary: PubNubErrorSummary?) -> PubNubProblem {
        PubNubProblem(
            ConnectionFailure(
                .unknown,
                "The service answered with an error instead of a result. The service's text is in the field information.",
                origin: .server, httpStatus: 200),
            information: summary?.information, channels: summary?.channels ?? [],
            channelGroups: summary?.channelGroups ?? [], payload: summary?.payload)
    }
}

/// The members of a JSON object, parsed once. Of a repeated key the last value is used.
struct Members {
    private var values: [String: JSONText] = [:]
    /// The members in the order in which they were received.
    let ordered: [JSONText.Member]

    /// Nil when `text` is not a JSON object.
    init?(_ text: JSONText?) {
        guard let members = text?.members else { return nil }
        ordered = members
        for member in members { values[member.key] = member.value }
    }

    /// The value of a key; nil when the key is missing or its value is null.
    subscript(key: String) -> JSONText? {
        guard let value = values[key], !value.isNull else { return nil }
        return value
    }

    /// A required value.
    func required(_ key: String) throws(PubNubProblem) -> JSONText {
        guard let value = self[key] else { throw .malformed("The service's answer has no field \"\(key)\".") }
        return value
    }

    /// A required object.
    func object(_ key: String) throws(PubNubProblem) -> Members {
        guard let members = Members(try required(key)) else {
            throw .malformed("The field \"\(key)\" of the service's answer is not an object.")
        }
        return members
    }

    /// The strings of a required list. Elements that are not strings are left out.
    func strings(_ key: String) throws(PubNubProblem) -> [String] {
        guard let elements = try required(key).elements else {
            throw .malformed("The field \"\(key)\" of the service's answer is not a list.")
        }
        return elements.compactMap(\.string)
    }

    /// The timetoken of a key, sent as a number or as a string of digits; nil when there is none.
    func timetoken(_ key: String) -> Timetoken? { self[key]?.timetoken }

    /// The integer of a key. Some services send the integer as a string. Nil when there is none.
    func integer(_ key: String) -> Int? { self[key]?.identifier.flatMap { Int($0) } }

    func string(_ key: String) -> String? { self[key]?.string }
}

extension JSONRepair.Plan {
    /// The positions of lists in the answers of calls, for the repair of damaged answers: history, actions, App Context, here-now, channels
    /// and groups.
    static let callAnswers = JSONRepair.Plan(
        .init("*"), .init("channels", "*"), .init("payload", "channels"), .init("payload", "groups"),
        .init("payload", "channels", "*", "uuids"))
}

extension JSONText {
    /// The timetoken in a number or a string of digits, without loss of digits; nil for other values.
    var timetoken: Timetoken? { identifier.flatMap { Timetoken($0) } }
}
