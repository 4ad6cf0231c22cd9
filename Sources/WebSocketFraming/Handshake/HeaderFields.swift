/// A header field of a request or an answer. `HTTPHeaders` of NIOHTTP1 is a sequence of such fields.
public typealias HeaderField = (name: String, value: String)

/// Reads header fields of an opening handshake: names are compared without case, values are read as lists of tokens.
package struct HeaderFields {
    private var fields: [HeaderField]

    init(_ fields: some Sequence<HeaderField>) {
        self.fields = Array(fields)
    }

    /// All values of the fields `name`, in order and without surrounding white space. `name` must be lowercase.
    func values(_ name: String) -> [String] {
        var values: [String] = []
        for field in fields where Self.isName(field.name, name) { values.append(Self.trimmed(field.value)) }
        return values
    }

    /// The value of the field `name` if it occurs exactly once; otherwise nil.
    func only(_ name: String) -> String? {
        let all = values(name)
        return all.count == 1 ? all[0] : nil
    }

    /// The comma-separated parts of all values of the field `name`.
    func tokens(_ name: String) -> [String] {
        values(name).flatMap { $0.split(separator: ",").map(Self.trimmed) }.filter { !$0.isEmpty }
    }

    /// Whether one of the comma-separated parts of the field `name` is `token`, compared without case. Both arguments must be lowercase.
    func has(_ token: String, in name: String) -> Bool {
        for field in fields where Self.isName(field.name, name) {
            for part in field.value.utf8.split(separator: UInt8(ascii: ",")) where Self.equals(Self.trimmed(part), token.utf8) {
                return true
            }
        }
        return false
    }

    /// Whether the field's name is `name`, compared without case; `name` must be lowercase. Names are ASCII, so bytes are compared without
    /// conversion, because this runs for every field of every handshake.
    package static func isName(_ text: String, _ name: String) -> Bool {
        equals(text.utf8, name.utf8)
    }

    private static func equals(_ bytes: some Collection<UInt8>, _ lowercase: String.UTF8View) -> Bool {
        bytes.count == lowercase.count
            && zip(bytes, lowercase).allSatisfy { byte, expected in
                byte == expected || (UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte && byte | 0x20 == expected)
            }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
        var rest = bytes
        while let first = rest.first, isSpace(first) { rest.removeFirst() }
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return rest
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        String(Substring(trimmed(Substring(text).utf8)))
    }
}
