import Identifiers
import ServerRuntime
import WireCoding

/// The named values of a publish request: members of a JSON object, and query parameters for values that the object does not have (rule
/// SR-3).
struct PublishFields {
    /// The members of the object that are not null. It is a list, because an event has three to six members, and hashing them takes longer
    /// than a linear search.
    private var members: [(name: String, value: JSONText)] = []
    private let query: RESTRequest?

    /// - Parameters:
    ///   - json: the body's object; nil when there was no body.
    ///   - query: the request whose query parameters are used for missing values; nil for none.
    init(_ json: JSONText?, query: RESTRequest?) throws(HTTPProblem) {
        self.query = query
        guard let json else { return }
        guard let members = json.members else { throw .badRequest("Each event has to be a JSON object.") }
        for member in members where !member.value.isNull { self.members.append((member.key, member.value)) }
    }

    /// Makes fields from strings that do not come from a request, such as those of the console.
    init(_ texts: KeyValuePairs<String, String>) {
        query = nil
        members = texts.map { ($0.key, .string($0.value)) }
    }

    /// The member with this name, compared by bytes. If the name is repeated, the last member counts.
    private func member(_ name: String) -> JSONText? { members.last { $0.name.isExactly(name) }?.value }

    /// The string with this name; nil when it is missing. `complaint` is the error text for another type of value.
    func text(_ name: String, _ complaint: String? = nil) throws(HTTPProblem) -> String? {
        guard let value = member(name) else { return try query?.parameter(name) }
        guard let text = value.string else { throw .badRequest(complaint ?? "\(name) has to be a string.") }
        return text
    }

    /// The list of strings with this name; nil when it is missing.
    ///
    /// - Parameter single: the name of the member for a single value. If the body has this member, the query is not read (rule SR-3).
    func list(_ name: String, orOne single: String) throws(HTTPProblem) -> [String]? {
        guard let value = member(name) else { return member(single) == nil ? try query?.list(name) : nil }
        guard let elements = value.elements else { throw .badRequest("\(name) has to be an array.") }
        var list: [String] = []
        for element in elements {
            guard let text = element.string else { throw .badRequest("\(name) has to be an array of strings.") }
            list.append(text)
        }
        return list
    }
}
