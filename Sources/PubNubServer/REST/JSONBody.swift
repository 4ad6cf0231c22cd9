import WireCoding

/// Writes JSON with the same white space as in the recorded answers of a service.
struct JSONBody {
    private(set) var bytes: [UInt8] = []
    private let isSpaced: Bool
    private var needsComma = false

    /// - Parameter isSpaced: whether a space follows every comma and colon.
    init(isSpaced: Bool) {
        self.isSpaced = isSpaced
    }

    /// `{ … }`
    mutating func object(_ content: (inout JSONBody) -> Void) { container(from: "{", to: "}", content) }

    /// `[ … ]`
    mutating func array(_ content: (inout JSONBody) -> Void) { container(from: "[", to: "]", content) }

    private mutating func container(
        from opening: Unicode.Scalar, to closing: Unicode.Scalar, _ content: (inout JSONBody) -> Void
    ) {
        separate()
        bytes.append(UInt8(ascii: opening))
        needsComma = false
        content(&self)
        bytes.append(UInt8(ascii: closing))
        needsComma = true
    }

    /// Writes `"key":`. Write the value next.
    mutating func key(_ key: String) {
        separate()
        JSONWriter.appendString(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        if isSpaced { bytes.append(0x20) }
        needsComma = false
    }

    mutating func string(_ value: String) {
        separate()
        JSONWriter.appendString(value, to: &bytes)
        needsComma = true
    }

    mutating func number(_ value: Int) {
        separate()
        JSONWriter.append(value, to: &bytes)
        needsComma = true
    }

    mutating func bool(_ value: Bool) { json(value ? "true" : "false") }

    /// Writes a value whose text is already JSON.
    mutating func json(_ text: StaticString) {
        separate()
        JSONWriter.append(text, to: &bytes)
        needsComma = true
    }

    /// Writes a value whose text is already JSON.
    mutating func json(_ text: [UInt8]) {
        separate()
        bytes += text
        needsComma = true
    }

    mutating func member(_ key: String, _ value: String) {
        self.key(key)
        string(value)
    }

    mutating func member(_ key: String, _ value: Int) {
        self.key(key)
        number(value)
    }

    mutating func member(_ key: String, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    mutating func strings(_ values: some Sequence<String>) {
        array { body in for value in values { body.string(value) } }
    }

    private mutating func separate() {
        guard needsComma else { return }
        bytes.append(UInt8(ascii: ","))
        if isSpaced { bytes.append(0x20) }
    }

    /// The encoded bytes of a JSON object whose members `content` writes.
    static func object(isSpaced: Bool = false, _ content: (inout JSONBody) -> Void) -> [UInt8] {
        var body = JSONBody(isSpaced: isSpaced)
        body.object(content)
        return body.bytes
    }
}
