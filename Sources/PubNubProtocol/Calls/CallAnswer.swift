import ConnectionEngine
import WireCoding

/// Reads the answers of calls (rules PL-5 to PL-8). An unexpected answer becomes `malformedResponse`; an error that the service reports
/// with a successful status keeps the service's text.
enum CallAnswer {
    /// The answer as JSON. Of a damaged answer, the elements that can be read (rules PN-40 to PN-42).
    static func json(_ body: [UInt8]) throws(PubNubProblem) -> JSONText {
        do throws(JSONSyntaxError) {
            return try JSONText(bytes: body)
        } catch {
            let repaired = body.withUnsafeBytes { JSONRepair($0, .callAnswers) }
            guard let repaired, let text = try? JSONText(bytes: repaired.bytes) else {
                throw .malformed("The answer is not JSON: \(error).")
            }
            return text
        }
    }

    /// The answer as an object; throws the error when the answer reports one.
    static func object(_ body: [UInt8]) throws(PubNubProblem) -> Members {
        let text = try json(body)
        guard let members = Members(text) else { throw .malformed("The answer is not a JSON object.") }
        if tellsOfError(members["error"]) {
            let summary = body.withUnsafeBytes { try? PubNubErrorSummary(reading: $0) }
            throw refused(summary)
        }
        return members
    }

    /// The elements of an answer that is a list. `[0,"…"]` is an error.
    static func list(_ body: [UInt8]) throws(PubNubProblem) -> [JSONText] {
        let text = try json(body)
        if text.kind == .object {
            // The answer came from a proxy in front of the service.
            _ = try object(body)
        }
        guard let elements = text.elements else { throw .malformed("The answer is not a JSON array.") }
        if elements.count >= 2, elements[0].integer == 0, let words = elements[1].string {
            throw PubNubProblem(
                ConnectionFailure(.badRequest, "The service does not accept the request.", origin: .server, httpStatus: 200),
                information: String(words.prefix(PubNubLimits.informationLength)))
        }
        return elements
    }

    /// `[1,"…"]`, or an object without an error.
    static func acknowledgment(_ body: [UInt8]) throws(PubNubProblem) {
        let text = try json(body)
        if text.kind == .array { _ = try list(body) } else { _ = try object(body) }
    }

    /// Whether `error` reports an error: `true`, `1`, or a text. An object contains details of an error that the status reports.
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
            ConnectionFailure(.unknown, "The service refuses the request.", origin: .server, httpStatus: 200),
            information: summary?.information, channels: summary?.channels ?? [],
            channelGroups: summary?.channelGroups ?? [], payload: summary?.payload)
    }
}

/// The members of an object, read once; the last value of a repeated key is used.
struct Members {
    private var values: [String: JSONText] = [:]
    /// The members in the order in which they were received.
    let ordered: [JSONText.Member]

    /// Nil when `text` is not an object.
    init?(_ text: JSONText?) {
        guard let members = text?.members else { return nil }
        ordered = members
        for member in members { values[member.key] = member.value }
    }

    /// The value of a key; nil when it is missing or null.
    subscript(key: String) -> JSONText? {
        guard let value = values[key], !value.isNull else { return nil }
        return value
    }

    /// A required value.
    func required(_ key: String) throws(PubNubProblem) -> JSONText {
        guard let value = self[key] else { throw .malformed("The answer lacks its \(key).") }
        return value
    }

    /// A required object.
    func object(_ key: String) throws(PubNubProblem) -> Members {
        guard let members = Members(try required(key)) else { throw .malformed("The answer's \(key) is not an object.") }
        return members
    }

    /// A required list of strings; elements that are not strings are left out.
    func strings(_ key: String) throws(PubNubProblem) -> [String] {
        guard let elements = try required(key).elements else { throw .malformed("The answer's \(key) is not a list.") }
        return elements.compactMap(\.string)
    }

    /// A timetoken, as a number or a string of digits; nil when there is none.
    func timetoken(_ key: String) -> Timetoken? { self[key]?.timetoken }

    /// An integer, which some services send as a string.
    func integer(_ key: String) -> Int? { self[key]?.identifier.flatMap { Int($0) } }

    func string(_ key: String) -> String? { self[key]?.string }
}

extension JSONRepair.Plan {
    /// The positions of lists in the answers of calls: history of both services, actions and objects, here-now, channels and groups.
    static let callAnswers = JSONRepair.Plan(
        .init("*"), .init("channels", "*"), .init("payload", "channels"), .init("payload", "groups"),
        .init("payload", "channels", "*", "uuids"))
}

extension JSONText {
    /// The exact timetoken of a number or a string of digits.
    var timetoken: Timetoken? { identifier.flatMap { Timetoken($0) } }
}
