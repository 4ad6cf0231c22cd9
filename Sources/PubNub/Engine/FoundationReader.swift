import Foundation
import WireCoding

/// Reads JSON into the values of `JSONSerialization`: `String`, `NSNumber`, `NSNull`, `[Any]` and `[String: Any]`. On Linux it is several
/// times faster than `JSONSerialization`.
struct FoundationReader {
    /// An empty dictionary with capacity for the members of most messages. Copying it takes one allocation; filling a dictionary without
    /// capacity takes several. Calling `init(minimumCapacity:)` for each message is the slowest, because the generic initialiser is not
    /// specialised. `nonisolated(unsafe)`: constant and empty, so that threads may share it.
    nonisolated(unsafe) private static let room = [String: Any](minimumCapacity: 6)

    private var scanner: JSONScanner
    private var scratch: [UInt8] = []

    init(_ bytes: UnsafeRawBufferPointer) {
        scanner = JSONScanner(bytes)
    }

    /// Reads the JSON value that makes up the whole text.
    mutating func read() throws(JSONSyntaxError) -> Any {
        let value = try value(depth: 0)
        try scanner.expectEnd()
        return value
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> Any {
        guard depth <= JSONScanner.maximumDepth else { throw JSONSyntaxError(.tooDeep, at: scanner.position) }
        let start = scanner.position
        switch try scanner.peek() {
        case UInt8(ascii: "1")...UInt8(ascii: "9"):
            if let number = plainNumber() { return number }
            scanner.position = start
            return try simple()
        case JSONBytes.quote: return try scanner.unescapedString(scratch: &scratch)
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        default: return try simple()
        }
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> [String: Any] {
        try scanner.expect(UInt8(ascii: "{"))
        guard try scanner.peek() != UInt8(ascii: "}") else {
            scanner.position += 1
            return [:]
        }
        var members = Self.room
        while true {
            _ = try scanner.peek()
            let key = try scanner.unescapedString(scratch: &scratch)
            try scanner.expect(UInt8(ascii: ":"))
            members[key] = try value(depth: depth + 1)
            if try scanner.endOfObject() { return members }
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
            if try scanner.endOfArray() { return elements }
        }
    }

    /// Reads a number, a boolean or null.
    private mutating func simple() throws(JSONSyntaxError) -> Any {
        let token = try scanner.value()
        switch token.kind {
        case .bool: return NSNumber(value: scanner.bytes[token.start] == UInt8(ascii: "t"))
        case .number: return number(token) ?? scanner.text(token.start, token.end)
        default: return NSNull()
        }
    }

    /// Reads an integer of at most 18 digits in a single pass. This is the most frequent kind of number.
    private mutating func plainNumber() -> NSNumber? {
        let (bytes, first) = (scanner.bytes, scanner.position)
        var position = first
        var value: Int64 = 0
        while position < bytes.count, position &- first < 18 {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            value = value &* 10 &+ Int64(digit)
            position &+= 1
        }
        guard position < bytes.count else { return nil }
        switch bytes[position] {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
            scanner.position = position
            return NSNumber(value: value)
        default: return nil
        }
    }

    /// Reads a number. Nil for a number outside the range of `Double`, because infinity cannot be written as JSON (rule PK-81).
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
