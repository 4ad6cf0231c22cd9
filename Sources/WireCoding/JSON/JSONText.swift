/// A JSON value as text. Its parts are substrings of the text.
///
/// Use it for values that have to be passed on unchanged, such as the `user_info` of a presence member: the order of keys, the spelling of
/// numbers and white space are kept.
public struct JSONText: Hashable, Sendable, CustomStringConvertible {
    /// The text, without white space around it.
    public let text: String

    /// Makes a value from a text that is already known to be one JSON value.
    public init(checked text: String) {
        self.text = text
    }

    /// Makes a value from a text.
    ///
    /// - Throws: ``JSONSyntaxError`` unless the text is exactly one JSON value.
    public init(_ text: String) throws(JSONSyntaxError) {
        self.text = try Self.scan(text) { scanner throws(JSONSyntaxError) in
            let value = try scanner.value()
            try scanner.expectEnd()
            return scanner.text(value.start, value.end)
        }
    }

    /// Makes a value from bytes, for example of a request body.
    ///
    /// - Throws: ``JSONSyntaxError`` unless the bytes are UTF-8 and exactly one JSON value.
    public init(bytes: [UInt8]) throws(JSONSyntaxError) {
        let invalid = bytes.withUnsafeBytes { JSONBytes.firstInvalidUTF8($0) }
        if let invalid { throw JSONSyntaxError(.invalidUTF8, at: invalid) }
        try self.init(String(decoding: bytes, as: UTF8.self))
    }

    /// Makes a JSON string from an unescaped text.
    public static func string(_ value: String) -> JSONText {
        JSONText(checked: JSONWriter.string(value))
    }

    public var description: String { text }

    public var kind: JSONKind {
        text.utf8.first.flatMap { JSONScanner.kind(startingWith: $0) } ?? .null
    }

    public var isNull: Bool { kind == .null }

    /// The unescaped text of a string; nil for other kinds.
    public var string: String? {
        guard kind == .string else { return nil }
        return try? Self.scan(text) { scanner throws(JSONSyntaxError) in
            var scratch: [UInt8] = []
            return try scanner.unescapedString(scratch: &scratch)
        }
    }

    /// The value of a number that is an integer and fits into an `Int`; otherwise nil.
    public var integer: Int? { kind == .number ? Int(text) : nil }

    /// The value of a number; nil for other kinds and for numbers beyond the range of `Double`.
    public var double: Double? { kind == .number ? Double(text).flatMap { $0.isFinite ? $0 : nil } : nil }

    public var bool: Bool? { kind == .bool ? text == "true" : nil }

    /// The text of a string, or of a number as it is written, because protocols write identifiers in both forms. Nil for other kinds.
    public var identifier: String? { kind == .number ? text : string }

    /// A member of an object: a key and its value.
    public struct Member: Hashable, Sendable {
        public var key: String
        public var value: JSONText
    }

    /// The members of an object in the order of the text; a repeated key occurs repeatedly. Nil for other kinds.
    public var members: [Member]? {
        guard kind == .object else { return nil }
        return try? Self.scan(text) { scanner throws(JSONSyntaxError) in
            var scratch: [UInt8] = []
            var members: [Member] = []
            try scanner.object { (scanner, key) throws(JSONSyntaxError) in
                let value = try scanner.value()
                let text = JSONText(checked: scanner.text(value.start, value.end))
                members.append(Member(key: scanner.string(key, scratch: &scratch), value: text))
            }
            return members
        }
    }

    /// The elements of an array; nil for other kinds.
    public var elements: [JSONText]? {
        guard kind == .array else { return nil }
        return try? Self.scan(text) { scanner throws(JSONSyntaxError) in
            var elements: [JSONText] = []
            try scanner.array { (scanner) throws(JSONSyntaxError) in
                let value = try scanner.value()
                elements.append(JSONText(checked: scanner.text(value.start, value.end)))
            }
            return elements
        }
    }

    /// The value of a key in an object, the last one when the key is repeated; nil for a missing key and for other kinds.
    public subscript(key: String) -> JSONText? {
        members?.last { $0.key == key }?.value
    }

    static func scan<Value>(
        _ text: String, _ body: (inout JSONScanner) throws(JSONSyntaxError) -> Value
    ) throws(JSONSyntaxError) -> Value {
        var text = text
        return try text.withUTF8 { bytes in
            Result { () throws(JSONSyntaxError) in
                var scanner = JSONScanner(UnsafeRawBufferPointer(bytes))
                return try body(&scanner)
            }
        }.get()
    }
}
