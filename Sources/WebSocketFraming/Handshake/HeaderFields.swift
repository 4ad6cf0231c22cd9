/// A header field of a request or an answer. `HTTPHeaders` of NIOHTTP1 is a sequence of these.
public typealias HeaderField = (name: String, value: String)

/// Looks at header fields the way the opening handshake needs it: names without case, values as lists of tokens.
struct HeaderFields {
    private var fields: [HeaderField]

    init(_ fields: some Sequence<HeaderField>) {
        self.fields = Array(fields)
    }

    /// All values of `name`, in order, without the white space around them.
    func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name }.map { Self.trimmed($0.value) }
    }

    /// The value of `name` when it is there exactly once.
    func only(_ name: String) -> String? {
        let all = values(name)
        return all.count == 1 ? all[0] : nil
    }

    /// The comma-separated parts of all values of `name`.
    func tokens(_ name: String) -> [String] {
        values(name).flatMap { $0.split(separator: ",").map(Self.trimmed) }.filter { !$0.isEmpty }
    }

    /// Whether one of the parts of `name` is `token`, whatever its case.
    func has(_ token: String, in name: String) -> Bool {
        tokens(name).contains { $0.lowercased() == token }
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let bytes = Array(text.utf8)
        let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? 0
        return String(decoding: bytes[..<end].drop(while: isSpace), as: UTF8.self)
    }
}
