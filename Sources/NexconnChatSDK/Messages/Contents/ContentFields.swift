import OrderedCollections
import WireCoding

/// The fields of a content's JSON object, in the order in which they are written.
struct ContentFields: Sendable {
    private(set) var members: OrderedDictionary<String, JSONValue> = [:]

    init() {}

    /// Returns nil when the bytes are not a JSON object.
    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONValue(parsing: bytes), case .object(let members) = value else { return nil }
        self.members = members
    }

    /// Returns nil for a JSON value that is not an object.
    init?(_ value: JSONValue) {
        guard case .object(let members) = value else { return nil }
        self.members = members
    }

    var value: JSONValue { .object(members) }

    var bytes: [UInt8] {
        var out: [UInt8] = []
        value.append(to: &out)
        return out
    }

    subscript(name: String) -> JSONValue? { members[name] }

    func string(_ name: String) -> String? { members[name]?.string }

    /// The integer in a field. A number with a fraction and a number in quotes are accepted, because some senders write integers so.
    func integer(_ name: String) -> Int64? {
        switch members[name] {
        case .number(let number): number.integer.map { Int64($0) } ?? Int64(exactly: number.double.rounded(.towardZero))
        case .string(let text): Int64(text)
        default: nil
        }
    }

    func double(_ name: String) -> Double? { members[name]?.double }

    func strings(_ name: String) -> [String]? { members[name]?.array?.compactMap(\.string) }

    mutating func set(_ name: String, _ value: JSONValue?) {
        if let value { members[name] = value }
    }

    mutating func set(_ name: String, _ value: String?) {
        if let value { members[name] = .string(value) }
    }

    mutating func set(_ name: String, _ value: Int?) {
        if let value { members[name] = .number(JSONNumber(value)) }
    }

    mutating func set(_ name: String, _ value: Int64?) {
        if let value { members[name] = .number(JSONNumber(checked: String(value))) }
    }

    mutating func set(_ name: String, _ value: Double?) {
        if let value, let number = JSONNumber(value) { members[name] = .number(number) }
    }

    /// Sets a field, unless the field is set already.
    mutating func complete(_ name: String, _ value: JSONValue?) {
        if members[name] == nil { set(name, value) }
    }
}
