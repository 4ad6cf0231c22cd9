import Foundation
import WireCoding

/// Reads JSON into the values of `JSONSerialization`, several times faster than that does on Linux: `String`, `NSNumber`, `NSNull`,
/// `[Any]` and `[String: Any]`.
struct FoundationReader {
    private var scanner: JSONScanner
    private var scratch: [UInt8] = []

    init(_ bytes: UnsafeRawBufferPointer) {
        scanner = JSONScanner(bytes)
    }

    /// The one value of the text.
    mutating func read() throws(JSONSyntaxError) -> Any {
        let value = try value(depth: 0)
        try scanner.expectEnd()
        return value
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> Any {
        guard depth <= JSONScanner.maximumDepth else { throw JSONSyntaxError(.tooDeep, at: scanner.position) }
        switch try scanner.peek() {
        case JSONBytes.quote: return try scanner.unescapedString(scratch: &scratch)
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        default: return try simple()
        }
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> [String: Any] {
        var members: [String: Any] = [:]
        try scanner.expect(UInt8(ascii: "{"))
        guard try scanner.peek() != UInt8(ascii: "}") else {
            scanner.position += 1
            return members
        }
        while true {
            _ = try scanner.peek()
            let key = try scanner.unescapedString(scratch: &scratch)
            try scanner.expect(UInt8(ascii: ":"))
            members[key] = try value(depth: depth + 1)
            if try endsContainer(with: UInt8(ascii: "}")) { return members }
        }
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> [Any] {
        var elements: [Any] = []
        try scanner.expect(UInt8(ascii: "["))
        guard try scanner.peek() != UInt8(ascii: "]") else {
            scanner.position += 1
            return elements
        }
        while true {
            elements.append(try value(depth: depth + 1))
            if try endsContainer(with: UInt8(ascii: "]")) { return elements }
        }
    }

    /// Steps over a comma or over the closing bracket.
    private mutating func endsContainer(with closer: UInt8) throws(JSONSyntaxError) -> Bool {
        let byte = try scanner.peek()
        guard byte == UInt8(ascii: ",") || byte == closer else {
            throw JSONSyntaxError(.unexpectedByte, at: scanner.position)
        }
        scanner.position += 1
        return byte == closer
    }

    /// A number, a truth value or null.
    private mutating func simple() throws(JSONSyntaxError) -> Any {
        let token = try scanner.value()
        switch token.kind {
        case .bool: return NSNumber(value: scanner.bytes[token.start] == UInt8(ascii: "t"))
        case .number: return number(token) ?? scanner.text(token.start, token.end)
        default: return NSNull()
        }
    }

    /// Nil for a number that no `Double` holds: as infinity it could not be written as JSON again (rule PK-81).
    private func number(_ token: JSONScanner.ValueToken) -> NSNumber? {
        let isNegative = scanner.bytes[token.start] == UInt8(ascii: "-")
        if let magnitude = scanner.wholeNumber(token.start + (isNegative ? 1 : 0), token.end) {
            if let value = Int64(exactly: magnitude), !(isNegative && value == 0) {
                return NSNumber(value: isNegative ? -value : value)
            }
            if !isNegative { return NSNumber(value: magnitude) }
        }
        guard let value = Double(scanner.text(token.start, token.end)), value.isFinite else { return nil }
        return NSNumber(value: value)
    }
}
