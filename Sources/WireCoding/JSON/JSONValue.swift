import OrderedCollections

/// A JSON value as a tree. It is used for request bodies and settings, where speed matters less.
///
/// Numbers keep their spelling, so that integers of any size stay exact. Objects keep the order of their keys.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(OrderedDictionary<String, JSONValue>)

    /// The deepest nesting of a tree. ``JSONText`` accepts text with up to ``JSONScanner/maximumDepth`` levels.
    public static let maximumDepth = 128

    /// Reads one value.
    public init(parsing text: String) throws(JSONSyntaxError) {
        try self.init(JSONText(text))
    }

    /// Parses one value from bytes, for example of a request body.
    public init(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        try self.init(JSONText(bytes: bytes))
    }

    /// Makes the tree of a value that is given as text.
    public init(_ text: JSONText) throws(JSONSyntaxError) {
        guard !text.isNull else {
            self = .null
            return
        }
        self = try JSONText.scan(text.text) { scanner throws(JSONSyntaxError) in
            var scratch: [UInt8] = []
            return try JSONValue(&scanner, scratch: &scratch, depth: 0)
        }
    }

    /// Reads the next value of a text that is known to be valid JSON, in one pass.
    private init(_ scanner: inout JSONScanner, scratch: inout [UInt8], depth: Int) throws(JSONSyntaxError) {
        guard depth <= Self.maximumDepth else { throw JSONSyntaxError(.tooDeep, at: scanner.position) }
        switch try scanner.peek() {
        case UInt8(ascii: "{"):
            var members: OrderedDictionary<String, JSONValue> = [:]
            try scanner.object { (scanner, key) throws(JSONSyntaxError) in
                let name = scanner.string(key, scratch: &scratch)
                members[name] = try JSONValue(&scanner, scratch: &scratch, depth: depth + 1)
            }
            self = .object(members)
        case UInt8(ascii: "["):
            var elements: [JSONValue] = []
            try scanner.array { (scanner) throws(JSONSyntaxError) in
                elements.append(try JSONValue(&scanner, scratch: &scratch, depth: depth + 1))
            }
            self = .array(elements)
        case JSONBytes.quote: self = .string(try scanner.unescapedString(scratch: &scratch))
        default:
            let token = try scanner.value()
            switch token.kind {
            case .bool: self = .bool(scanner.bytes[token.start] == UInt8(ascii: "t"))
            case .number: self = .number(JSONNumber(checked: scanner.text(token.start, token.end)))
            case .null, .string, .array, .object: self = .null
            }
        }
    }

    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    public var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    public var integer: Int? {
        guard case .number(let value) = self else { return nil }
        return value.integer
    }

    public var double: Double? {
        guard case .number(let value) = self else { return nil }
        return value.double
    }

    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    public var array: [JSONValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    public var object: OrderedDictionary<String, JSONValue>? {
        guard case .object(let value) = self else { return nil }
        return value
    }

    /// The value as compact JSON text.
    public var text: String {
        var out: [UInt8] = []
        append(to: &out)
        return String(decoding: out, as: UTF8.self)
    }

    /// Appends the value as compact JSON text.
    public func append(to out: inout [UInt8]) {
        switch self {
        case .null: JSONWriter.append("null", to: &out)
        case .bool(let value): JSONWriter.append(value ? "true" : "false", to: &out)
        case .number(let value): out.append(contentsOf: value.literal.utf8)
        case .string(let value): JSONWriter.appendString(value, to: &out)
        case .array(let elements):
            out.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                element.append(to: &out)
            }
            out.append(UInt8(ascii: "]"))
        case .object(let members):
            out.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                JSONWriter.appendString(member.key, to: &out)
                out.append(UInt8(ascii: ":"))
                member.value.append(to: &out)
            }
            out.append(UInt8(ascii: "}"))
        }
    }
}

/// A JSON number with its spelling. Numbers with different spellings are unequal, such as `1` and `1.0`.
public struct JSONNumber: Hashable, Sendable {
    public let literal: String

    public init(checked literal: String) {
        self.literal = literal
    }

    public init(_ value: Int) {
        literal = String(value)
    }

    /// Makes a number from a `Double`; nil for infinities and NaN, which JSON cannot represent.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        literal = String(value)
    }

    /// The value when it is an integer that fits into an `Int`; otherwise nil.
    public var integer: Int? { Int(literal) }

    public var double: Double { Double(literal) ?? .nan }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(OrderedDictionary(elements) { _, last in last })
    }
    public init(nilLiteral: ()) { self = .null }
}
