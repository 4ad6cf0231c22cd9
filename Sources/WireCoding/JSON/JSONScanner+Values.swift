extension JSONScanner {
    /// A value of any kind, as a range of byte offsets in the text.
    public struct ValueToken {
        public var start: Int
        public var end: Int
        public var kind: JSONKind
    }

    /// Checks a value and skips it. It uses no recursion: a stack has one bit for each open container, which is 1 for an object and 0 for
    /// an array.
    public mutating func value() throws(JSONSyntaxError) -> ValueToken {
        let first = try peek()
        guard let kind = Self.kind(startingWith: first) else { throw JSONSyntaxError(.unexpectedByte, at: position) }
        let start = position
        // Strings and numbers are handled first, because most values are not containers and need no stack.
        switch kind {
        case .string:
            let token = try string()
            return ValueToken(start: start, end: token.end &+ 1, kind: kind)
        case .number:
            try number()
            return ValueToken(start: start, end: position, kind: kind)
        case .object, .array, .bool, .null: break
        }
        var open = OpenContainers()
        repeat {
            let byte = try peek()
            switch byte {
            case JSONBytes.quote:
                _ = try string()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let isObject = byte == UInt8(ascii: "{")
                position &+= 1
                guard open.depth < Self.maximumDepth else { throw JSONSyntaxError(.tooDeep, at: position) }
                open.push(isObject)
                if try peek() != Self.closer(isObject) {
                    if isObject { try key() }
                    continue
                }
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                try number()
            case UInt8(ascii: "t"): try literal("true")
            case UInt8(ascii: "f"): try literal("false")
            case UInt8(ascii: "n"): try literal("null")
            default:
                throw JSONSyntaxError(.unexpectedByte, at: position)
            }
            try close(&open)
        } while open.depth > 0
        return ValueToken(start: start, end: position, kind: kind)
    }

    /// Called after a value: skips closing brackets up to the next value of a container, or up to the end of the outermost container.
    @inline(__always)
    private mutating func close(_ open: inout OpenContainers) throws(JSONSyntaxError) {
        while open.depth > 0 {
            let byte = try peek()
            if byte == UInt8(ascii: ",") {
                position &+= 1
                if open.isObject { try key() }
                return
            }
            guard byte == Self.closer(open.isObject) else { throw JSONSyntaxError(.unexpectedByte, at: position) }
            position &+= 1
            open.pop()
        }
    }

    /// The stack of open containers, one bit each. The bits of the innermost containers are in one word, all others in an array of words.
    private struct OpenContainers {
        private(set) var depth = 0
        private var kinds: UInt64 = 0
        private var aside = SIMD8<UInt64>()

        /// Whether the innermost container is an object.
        public var isObject: Bool { kinds & 1 == 1 }

        @inline(__always)
        public mutating func push(_ isObject: Bool) {
            if depth & 63 == 0, depth > 0 { aside[depth >> 6 - 1] = kinds }
            kinds = kinds << 1 | (isObject ? 1 : 0)
            depth &+= 1
        }

        @inline(__always)
        public mutating func pop() {
            kinds >>= 1
            depth &-= 1
            if depth & 63 == 0, depth > 0 { kinds = aside[depth >> 6 - 1] }
        }
    }

    /// Skips a member's key and colon.
    private mutating func key() throws(JSONSyntaxError) {
        _ = try peek()
        _ = try string()
        try expect(UInt8(ascii: ":"))
    }

    @inline(__always)
    private static func closer(_ isObject: Bool) -> UInt8 {
        isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    }

    @inlinable @inline(__always)
    public static func kind(startingWith byte: UInt8) -> JSONKind? {
        switch byte {
        case JSONBytes.quote: .string
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        default: nil
        }
    }

    private mutating func literal(_ word: StaticString) throws(JSONSyntaxError) {
        for index in 0..<word.utf8CodeUnitCount {
            guard position < bytes.count else { throw JSONSyntaxError(.truncated, at: position) }
            guard bytes[position] == word.utf8Start[index] else { throw JSONSyntaxError(.unexpectedByte, at: position) }
            position &+= 1
        }
    }

    /// Checks a number by the grammar of RFC 8259, section 6, and skips it.
    private mutating func number() throws(JSONSyntaxError) {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position &+= 1 }
        if position < bytes.count, bytes[position] == UInt8(ascii: "0") {
            position &+= 1
        } else {
            try digits(of: start)
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position &+= 1
            try digits(of: start)
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position &+= 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position &+= 1
            }
            try digits(of: start)
        }
    }

    /// Skips one or more digits.
    ///
    /// - Throws: an error for the number at `start` when no digit follows.
    private mutating func digits(of start: Int) throws(JSONSyntaxError) {
        let first = position
        // Eight digits are skipped at once, because numbers in messages, such as timetokens, are often long.
        while position &+ 8 <= bytes.count, JSONBytes.areDigits(JSONBytes.word(bytes, at: position)) { position &+= 8 }
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position &+= 1 }
        if position == first {
            throw JSONSyntaxError(position == bytes.count ? .truncated : .invalidNumber, at: position)
        }
    }
}
