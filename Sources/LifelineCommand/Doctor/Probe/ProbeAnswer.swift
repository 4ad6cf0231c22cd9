/// The head of an HTTP answer, read from bytes.
struct ProbeAnswer: Hashable, Sendable {
    struct Field: Hashable, Sendable {
        var name: String
        var value: String
    }

    var status: Int
    var fields: [Field]

    /// The largest accepted head of an answer, in bytes.
    private static let limit = 1 << 16

    /// - Returns: the head and the index of the first byte after it; nil while more bytes are needed.
    /// - Throws: ``ProbeNotHTTP`` as soon as the bytes cannot become an HTTP answer.
    static func parse(_ bytes: [UInt8]) throws -> (ProbeAnswer, end: Int)? {
        guard zip(bytes, "HTTP/1.".utf8).allSatisfy({ $0 == $1 }) else {
            throw ProbeNotHTTP(isTLS: bytes.starts(with: [0x15, 0x03]))
        }
        guard let end = endOfHead(bytes) else {
            if bytes.count > limit { throw ProbeNotHTTP() }
            return nil
        }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(whereSeparator: \.isNewline)
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, let status = Int(words[1]), (100..<1000).contains(status) else { throw ProbeNotHTTP() }
        let fields = lines.dropFirst().compactMap { line -> Field? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return Field(name: line[..<colon].lowercased(), value: String(value))
        }
        return (ProbeAnswer(status: status, fields: fields), end)
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        guard bytes.count >= mark.count else { return nil }
        return (0...bytes.count - mark.count).first { bytes[$0..<$0 + mark.count].elementsEqual(mark) }.map { $0 + mark.count }
    }

    /// The first value of a field, by its name in small letters.
    func first(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    var isPage: Bool { first("content-type")?.lowercased().hasPrefix("text/html") == true }
}
