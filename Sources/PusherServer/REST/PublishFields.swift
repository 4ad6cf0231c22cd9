import Identifiers
import ServerRuntime
import WireCoding

/// The named values of a publish request: members of a JSON object, or query parameters for those that the object lacks (rule SR-3).
struct PublishFields {
    private var members: [Identifier: JSONText] = [:]
    private let query: RESTRequest?

    /// - Parameters:
    ///   - json: the body's object; nil when there was no body.
    ///   - query: the request whose query may have further values; nil for none.
    init(_ json: JSONText?, query: RESTRequest?) throws(HTTPProblem) {
        self.query = query
        guard let json else { return }
        guard let members = json.members else { throw .badRequest("An event has to be an object.") }
        for member in members where !member.value.isNull { self.members[Identifier(member.key)] = member.value }
    }

    /// Strings that were not in a request.
    init(_ texts: KeyValuePairs<Identifier, String>) {
        query = nil
        for (name, text) in texts { members[name] = .string(text) }
    }

    /// A string; nil when it is missing.
    func text(_ name: String, _ complaint: String? = nil) throws(HTTPProblem) -> String? {
        guard let value = members[Identifier(name)] else { return try query?.parameter(name) }
        guard let text = value.string else { throw .badRequest(complaint ?? "\(name) has to be a string.") }
        return text
    }

    /// A list of strings; nil when it is missing.
    ///
    /// - Parameter single: a member of the body for a single value; if it is present, the query is not read (rule SR-3).
    func list(_ name: String, orOne single: String) throws(HTTPProblem) -> [String]? {
        guard let value = members[Identifier(name)] else {
            return members[Identifier(single)] == nil ? try query?.list(name) : nil
        }
        guard let elements = value.elements else { throw .badRequest("\(name) has to be an array.") }
        var list: [String] = []
        for element in elements {
            guard let text = element.string else { throw .badRequest("\(name) has to hold strings.") }
            list.append(text)
        }
        return list
    }
}
