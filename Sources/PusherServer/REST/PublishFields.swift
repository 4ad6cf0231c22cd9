import Identifiers
import ServerRuntime
import WireCoding

/// The named values of a publish request: members of a JSON object, or query parameters for those that the object lacks (rule SR-3).
struct PublishFields {
    /// Without those that are null. A list, because an event has three to six, and hashing them into a table takes longer than to search.
    private var members: [(name: String, value: JSONText)] = []
    private let query: RESTRequest?

    /// - Parameters:
    ///   - json: the body's object; nil when there was no body.
    ///   - query: the request whose query may have further values; nil for none.
    init(_ json: JSONText?, query: RESTRequest?) throws(HTTPProblem) {
        self.query = query
        guard let json else { return }
        guard let members = json.members else { throw .badRequest("An event has to be an object.") }
        for member in members where !member.value.isNull { self.members.append((member.key, member.value)) }
    }

    /// Strings that were not in a request.
    init(_ texts: KeyValuePairs<String, String>) {
        query = nil
        members = texts.map { ($0.key, .string($0.value)) }
    }

    /// The last one, if it is repeated; names are compared by their bytes.
    private func member(_ name: String) -> JSONText? { members.last { $0.name.isExactly(name) }?.value }

    /// A string; nil when it is missing.
    func text(_ name: String, _ complaint: String? = nil) throws(HTTPProblem) -> String? {
        guard let value = member(name) else { return try query?.parameter(name) }
        guard let text = value.string else { throw .badRequest(complaint ?? "\(name) has to be a string.") }
        return text
    }

    /// A list of strings; nil when it is missing.
    ///
    /// - Parameter single: a member of the body for a single value; if it is present, the query is not read (rule SR-3).
    func list(_ name: String, orOne single: String) throws(HTTPProblem) -> [String]? {
        guard let value = member(name) else { return member(single) == nil ? try query?.list(name) : nil }
        guard let elements = value.elements else { throw .badRequest("\(name) has to be an array.") }
        var list: [String] = []
        for element in elements {
            guard let text = element.string else { throw .badRequest("\(name) has to hold strings.") }
            list.append(text)
        }
        return list
    }
}
