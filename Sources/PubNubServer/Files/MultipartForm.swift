import Identifiers

/// A form as `multipart/form-data` (RFC 7578), taken apart (rule FI-30). A pure value.
struct MultipartForm: Sendable {
    struct Part: Sendable {
        var name: String
        var content: ArraySlice<UInt8>
    }

    /// What is not a form, or not one that is taken.
    struct Malformed: Error, Hashable, Sendable {}

    /// Ours have a handful of parts.
    static let maximumParts = 32
    /// Of the head of one part.
    static let maximumHeadBytes = 4096
    /// RFC 2046, 5.1.1.
    static let maximumBoundary = 70

    private(set) var parts: [Part] = []

    /// The content of the first part with a name.
    subscript(name: String) -> ArraySlice<UInt8>? { parts.first { $0.name.isExactly(name) }?.content }

    /// The text of the first part with a name; nil when it is not UTF-8.
    func text(_ name: String) -> String? { self[name].flatMap { String(validating: $0, as: UTF8.self) } }

    /// - Parameter boundary: from the request's `Content-Type`.
    init(_ body: [UInt8], boundary: String) throws(Malformed) {
        let boundary = Array(boundary.utf8)
        guard !boundary.isEmpty, boundary.count <= Self.maximumBoundary else { throw Malformed() }
        let delimiter = Delimiter([0x0D, 0x0A, 0x2D, 0x2D] + boundary)
        // The first one needs no line end in front.
        var position: Int
        if body.starts(with: delimiter.bytes.dropFirst(2)) {
            position = delimiter.bytes.count - 2
        } else {
            guard let first = delimiter.find(in: body, from: 0) else { throw Malformed() }
            position = first + delimiter.bytes.count
        }
        while true {
            if body[position...].starts(with: [0x2D, 0x2D]) { return }
            // White space behind a delimiter is not part of it.
            while position < body.count, body[position] == 0x20 || body[position] == 0x09 { position += 1 }
            guard body[position...].starts(with: [0x0D, 0x0A]), parts.count < Self.maximumParts else { throw Malformed() }
            let (name, start) = try Self.head(body, from: position + 2)
            // A part without content ends with the line end of its head.
            guard let end = delimiter.find(in: body, from: start - 2) else { throw Malformed() }
            parts.append(Part(name: name, content: body[start..<max(start, end)]))
            position = end + delimiter.bytes.count
        }
    }

    /// The name of a part, and where its content begins.
    private static func head(_ body: [UInt8], from start: Int) throws(Malformed) -> (name: String, content: Int) {
        var name: String?
        var position = start
        while true {
            let rest = body[position..<min(body.count, start + maximumHeadBytes)]
            guard let end = rest.firstIndex(of: 0x0D), end + 1 < body.count, body[end + 1] == 0x0A else { throw Malformed() }
            let line = body[position..<end]
            position = end + 2
            if line.isEmpty { break }
            if let found = Self.name(of: line) {
                guard name == nil else { throw Malformed() }
                name = found
            }
        }
        guard let name else { throw Malformed() }
        return (name, position)
    }

    /// The parameter `name` of a `Content-Disposition: form-data`; nil for other fields.
    private static func name(of line: ArraySlice<UInt8>) -> String? {
        guard let text = String(validating: line, as: UTF8.self), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            text[..<colon].lowercased() == "content-disposition"
        else { return nil }
        let value = HeaderParameters(text[text.utf8.index(after: colon)...])
        return value.value.lowercased() == "form-data" ? value["name"] : nil
    }

    /// The boundary of a body with this `Content-Type`; nil for other types.
    static func boundary(of contentType: String) -> String? {
        let value = HeaderParameters(contentType[...])
        return value.value.lowercased() == "multipart/form-data" ? value["boundary"] : nil
    }
}

/// A field's value with parameters: `form-data; name="a"`. Quotes and what is escaped in them are taken away. A pure value.
private struct HeaderParameters {
    let value: String
    private var parameters: [(name: String, value: String)] = []

    /// Of a parameter that comes once; nil for one that is missing or comes twice.
    subscript(name: String) -> String? {
        let found = parameters.filter { $0.name == name }
        return found.count == 1 ? found[0].value : nil
    }

    init(_ text: Substring) {
        var pieces: [[UInt8]] = [[]]
        var (isQuoted, isEscaped) = (false, false)
        for byte in text.utf8 {
            switch byte {
            case _ where isEscaped:
                pieces[pieces.count - 1].append(byte)
                isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ";") where !isQuoted: pieces.append([])
            case 0x20, 0x09: if isQuoted { pieces[pieces.count - 1].append(byte) }
            default: pieces[pieces.count - 1].append(byte)
            }
        }
        value = String(decoding: pieces[0], as: UTF8.self)
        for piece in pieces.dropFirst() {
            guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else { continue }
            parameters.append(
                (
                    String(decoding: piece[..<equals], as: UTF8.self).lowercased(),
                    String(decoding: piece[(equals + 1)...], as: UTF8.self)
                ))
        }
    }
}

/// Finds bytes in others, a whole length at a time where it can (Horspool).
private struct Delimiter {
    let bytes: [UInt8]
    private let skips: [Int]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var skips = [Int](repeating: bytes.count, count: 256)
        for (index, byte) in bytes.dropLast().enumerated() { skips[Int(byte)] = bytes.count - 1 - index }
        self.skips = skips
    }

    func find(in body: [UInt8], from start: Int) -> Int? {
        let last = bytes.count - 1
        return body.withUnsafeBufferPointer { body in
            var position = start
            while position + last < body.count {
                var index = last
                while index >= 0, body[position + index] == bytes[index] { index -= 1 }
                if index < 0 { return position }
                position += skips[Int(body[position + last])]
            }
            return nil
        }
    }
}
