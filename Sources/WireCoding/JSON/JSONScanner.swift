/// Scans and strictly checks JSON text without building values and without copying it.
///
/// The bytes must be UTF-8 and stay valid as long as the scanner is used.
public struct JSONScanner {
    /// The deepest nesting that is accepted. Deeper text is refused, because processing it would overflow the stack (rule PW-4).
    public static let maximumDepth = 512

    public let bytes: UnsafeRawBufferPointer
    public var position = 0

    @inlinable
    public init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// A string as a range of byte offsets in the text, without its quotes.
    public struct StringToken {
        public var start: Int
        public var end: Int
        public var hasEscapes: Bool

        @inlinable
        public init(start: Int, end: Int, hasEscapes: Bool) {
            self.start = start
            self.end = end
            self.hasEscapes = hasEscapes
        }
    }

    @inlinable @inline(__always)
    public mutating func skipWhitespace() {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position &+= 1
        }
    }

    /// Skips white space and returns the next byte without skipping it.
    @inlinable @inline(__always)
    public mutating func peek() throws(JSONSyntaxError) -> UInt8 {
        skipWhitespace()
        guard position < bytes.count else { throw JSONSyntaxError(.truncated, at: position) }
        return bytes[position]
    }

    @inlinable @inline(__always)
    public mutating func expect(_ byte: UInt8) throws(JSONSyntaxError) {
        guard try peek() == byte else { throw JSONSyntaxError(.unexpectedByte, at: position) }
        position &+= 1
    }

    /// Skips `byte` if it comes next after white space. Returns false when another byte comes next.
    @inlinable @inline(__always)
    public mutating func skip(_ byte: UInt8) throws(JSONSyntaxError) -> Bool {
        guard try peek() == byte else { return false }
        position &+= 1
        return true
    }

    /// Call it after a member of an object: skips a comma and returns false, or skips the closing brace and returns true.
    @inlinable @inline(__always)
    public mutating func endOfObject() throws(JSONSyntaxError) -> Bool { try end(of: UInt8(ascii: "}")) }

    /// Call it after an element of an array: skips a comma and returns false, or skips the closing bracket and returns true.
    @inlinable @inline(__always)
    public mutating func endOfArray() throws(JSONSyntaxError) -> Bool { try end(of: UInt8(ascii: "]")) }

    @inlinable @inline(__always)
    mutating func end(of closer: UInt8) throws(JSONSyntaxError) -> Bool {
        let byte = try peek()
        guard byte == UInt8(ascii: ",") || byte == closer else { throw JSONSyntaxError(.unexpectedByte, at: position) }
        position &+= 1
        return byte == closer
    }

    /// Reads an object, which must come next. `member` is called with each key and has to read the key's value.
    @inlinable @inline(__always)
    public mutating func object(
        _ member: (inout JSONScanner, StringToken) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        try expect(UInt8(ascii: "{"))
        if try skip(UInt8(ascii: "}")) { return }
        repeat {
            let key = try string()
            try expect(UInt8(ascii: ":"))
            try member(&self, key)
        } while try !endOfObject()
    }

    /// Reads an array, which must come next. `element` is called for each element and has to read it.
    @inlinable @inline(__always)
    public mutating func array(
        _ element: (inout JSONScanner) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        try expect(UInt8(ascii: "["))
        if try skip(UInt8(ascii: "]")) { return }
        repeat { try element(&self) } while try !endOfArray()
    }

    /// Checks that only white space follows.
    public mutating func expectEnd() throws(JSONSyntaxError) {
        skipWhitespace()
        if position < bytes.count { throw JSONSyntaxError(.trailingBytes, at: position) }
    }

    /// Checks the string at the current position and skips it.
    @inlinable @inline(__always)
    public mutating func string() throws(JSONSyntaxError) -> StringToken {
        try expect(JSONBytes.quote)
        let start = position
        var hasEscapes = false
        while true {
            position = JSONBytes.firstSpecial(bytes, from: position)
            guard position < bytes.count else { throw JSONSyntaxError(.truncated, at: position) }
            switch bytes[position] {
            case JSONBytes.quote:
                let token = StringToken(start: start, end: position, hasEscapes: hasEscapes)
                position &+= 1
                return token
            case JSONBytes.backslash:
                hasEscapes = true
                _ = try escape()
            default:
                throw JSONSyntaxError(.controlCharacter, at: position)
            }
        }
    }

    /// Reads one escape sequence, which may be a surrogate pair, and returns its character.
    public mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
        let start = position
        guard position + 1 < bytes.count else { throw JSONSyntaxError(.truncated, at: bytes.count) }
        let letter = bytes[position + 1]
        position += 2
        switch letter {
        case JSONBytes.quote, JSONBytes.backslash, UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "u"): break
        default: throw JSONSyntaxError(.invalidEscape, at: start)
        }
        let unit = try hexUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00 else { throw JSONSyntaxError(.loneSurrogate, at: start) }
        guard position < bytes.count else { throw JSONSyntaxError(.truncated, at: position) }
        guard bytes[position] == JSONBytes.backslash else { throw JSONSyntaxError(.loneSurrogate, at: start) }
        guard position + 1 < bytes.count else { throw JSONSyntaxError(.truncated, at: bytes.count) }
        guard bytes[position + 1] == UInt8(ascii: "u") else { throw JSONSyntaxError(.loneSurrogate, at: start) }
        position += 2
        let low = try hexUnit()
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
        else { throw JSONSyntaxError(.loneSurrogate, at: start) }
        return scalar
    }

    private mutating func hexUnit() throws(JSONSyntaxError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard position < bytes.count else { throw JSONSyntaxError(.truncated, at: position) }
            let byte = bytes[position]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: throw JSONSyntaxError(.invalidEscape, at: position)
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
