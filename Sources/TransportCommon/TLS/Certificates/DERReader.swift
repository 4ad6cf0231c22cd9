/// Parses DER (ITU-T X.690): consecutive values of definite length. Every length is checked against the number of remaining bytes.
struct DERReader {
    /// One DER value: its tag, its content, and its complete encoding.
    struct Value {
        var tag: UInt8
        var content: ArraySlice<UInt8>
        var encoded: ArraySlice<UInt8>

        /// The values inside.
        var inner: DERReader { DERReader(content) }
    }

    struct Malformed: Error {}

    /// The tags of the types that certificates contain, and of context-specific values.
    enum Tag {
        static let boolean: UInt8 = 0x01
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let octetString: UInt8 = 0x04
        static let object: UInt8 = 0x06
        static let utcTime: UInt8 = 0x17
        static let generalizedTime: UInt8 = 0x18
        static let sequence: UInt8 = 0x30

        /// The tag of the context-specific value `[number]` with primitive content.
        static func primitive(_ number: UInt8) -> UInt8 { 0x80 | number }
        /// The tag of the context-specific value `[number]` that contains other values.
        static func constructed(_ number: UInt8) -> UInt8 { 0xA0 | number }
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }
    var nextTag: UInt8? { rest.first }

    /// Reads the next value of any type. Tags of more than one byte do not occur in certificates and are refused.
    mutating func next() throws(Malformed) -> Value {
        let all = rest
        guard rest.count >= 2, let tag = rest.popFirst(), tag & 0x1F != 0x1F, let first = rest.popFirst() else {
            throw Malformed()
        }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            guard (1...4).contains(count), rest.count >= count else { throw Malformed() }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
            // A length must be encoded in its shortest form.
            guard length >= 0x80, length >> (8 * (count - 1)) != 0 else { throw Malformed() }
        }
        guard rest.count >= length else { throw Malformed() }
        let content = rest.prefix(length)
        rest = rest.dropFirst(length)
        return Value(tag: tag, content: content, encoded: all[..<content.endIndex])
    }

    /// Reads the next value. Throws if it has another tag.
    mutating func next(_ tag: UInt8) throws(Malformed) -> Value {
        guard nextTag == tag else { throw Malformed() }
        return try next()
    }

    /// Reads the next value if it has this tag; otherwise returns nil and reads nothing.
    mutating func nextIfPresent(_ tag: UInt8) throws(Malformed) -> Value? {
        nextTag == tag ? try next() : nil
    }

    /// Reads the next value, which must be a sequence, and returns a reader of its content.
    mutating func sequence() throws(Malformed) -> DERReader {
        try next(Tag.sequence).inner
    }

    func end() throws(Malformed) {
        if !isAtEnd { throw Malformed() }
    }
}
