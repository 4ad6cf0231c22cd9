extension JSONScanner {
    /// A value of any kind as a stretch of the text.
    struct ValueToken {
        var start: Int
        var end: Int
        var kind: JSONKind
    }

    /// Checks a value and steps over it. Iterative: one bit per open container says whether it is an object.
    mutating func value() throws(JSONSyntaxError) -> ValueToken {
        let kind = Self.kind(startingWith: try peek())
        let start = position
        guard let kind else { throw JSONSyntaxError(.unexpectedByte, at: position) }
        var depth = 0
        var isObject = SIMD8<UInt64>()
        repeat {
            let opened = try scalarOrOpen()
            if let opened {
                guard depth < Self.maximumDepth else { throw JSONSyntaxError(.tooDeep, at: position) }
                let bit: UInt64 = 1 << UInt64(depth & 63)
                if opened == .object { isObject[depth >> 6] |= bit } else { isObject[depth >> 6] &= ~bit }
                depth += 1
                if try peek() != Self.closer(of: opened) {
                    if opened == .object { try key() }
                    continue
                }
            }
            try closeContainers(&depth, isObject)
        } while depth > 0
        return ValueToken(start: start, end: position, kind: kind)
    }

    /// After a value: steps over closing brackets up to the next value of a container, or up to the end of the outermost.
    private mutating func closeContainers(_ depth: inout Int, _ isObject: SIMD8<UInt64>) throws(JSONSyntaxError) {
        while depth > 0 {
            let inObject = isObject[(depth - 1) >> 6] & (1 << UInt64((depth - 1) & 63)) != 0
            switch try peek() {
            case UInt8(ascii: ","):
                position &+= 1
                if inObject { try key() }
                return
            case Self.closer(of: inObject ? .object : .array):
                position &+= 1
                depth -= 1
            default:
                throw JSONSyntaxError(.unexpectedByte, at: position)
            }
        }
    }

    /// Steps over a member's key and colon.
    private mutating func key() throws(JSONSyntaxError) {
        _ = try peek()
        _ = try string()
        try expect(UInt8(ascii: ":"))
    }

    /// Steps over a scalar, or into a container and says which.
    private mutating func scalarOrOpen() throws(JSONSyntaxError) -> JSONKind? {
        switch Self.kind(startingWith: try peek()) {
        case .string: _ = try string()
        case .number: try number()
        case .bool: try literal(bytes[position] == UInt8(ascii: "t") ? "true" : "false")
        case .null: try literal("null")
        case .object:
            position &+= 1
            return .object
        case .array:
            position &+= 1
            return .array
        case nil: throw JSONSyntaxError(.unexpectedByte, at: position)
        }
        return nil
    }

    private static func closer(of kind: JSONKind) -> UInt8 {
        kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")
    }

    @inline(__always)
    static func kind(startingWith byte: UInt8) -> JSONKind? {
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

    /// Checks a number by the grammar of RFC 8259, section 6.
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

    /// At least one digit.
    private mutating func digits(of start: Int) throws(JSONSyntaxError) {
        let first = position
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position &+= 1 }
        if position == first {
            throw JSONSyntaxError(position == bytes.count ? .truncated : .invalidNumber, at: position)
        }
    }
}
