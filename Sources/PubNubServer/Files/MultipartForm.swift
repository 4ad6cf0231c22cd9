import Identifiers
import WireCoding

/// A parser for `multipart/form-data` (RFC 7578), which reads one part after the other (rule FI-30). A pure value.
///
/// For every boundary, it reads each byte at most twice. A delimiter contains a carriage return at its beginning only, so no other
/// delimiter can begin within a partial match.
struct MultipartForm: Sendable {
    /// The error when the body is not a multipart form, or exceeds a limit of parts or sizes.
    struct Malformed: Error, Hashable, Sendable {}

    /// The largest number of parts. The server's own forms have fewer than ten.
    static let maximumParts = 32
    /// The largest length in bytes of one part's header.
    static let maximumHeadBytes = 4096
    /// The largest length of a boundary in bytes (RFC 2046, 5.1.1).
    static let maximumBoundary = 70

    private let body: [UInt8]
    /// The delimiter between parts: a line end, two hyphens and the boundary.
    private let delimiter: [UInt8]
    /// The position after the latest delimiter, or at the beginning of the current part's content.
    private var position: Int
    private var count = 0

    /// Finds the first part.
    ///
    /// - Parameters:
    ///   - boundary: the parameter `boundary` of the request's `Content-Type`.
    ///   - limit: the largest number of bytes before the first part.
    init(_ body: [UInt8], boundary: String, before limit: Int = .max) throws(Malformed) {
        let boundary = Array(boundary.utf8)
        guard !boundary.isEmpty, boundary.count <= Self.maximumBoundary, boundary.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw Malformed()
        }
        self.body = body
        delimiter = [0x0D, 0x0A, 0x2D, 0x2D] + boundary
        // At the beginning of the body, the delimiter needs no line end before it.
        if body.starts(with: delimiter.dropFirst(2)) {
            position = delimiter.count - 2
        } else {
            guard let first = Self.find(delimiter, in: body, from: 0, to: limit) else { throw Malformed() }
            position = first + delimiter.count
        }
    }

    /// The name of the next part; nil at the end of the form. Read the part's content with ``content(before:)`` before the next call.
    mutating func next() throws(Malformed) -> String? {
        if body.has([0x2D, 0x2D], at: position) { return nil }
        // White space after a delimiter is skipped.
        while let byte = body.element(at: position), byte == 0x20 || byte == 0x09 { position += 1 }
        guard body.has([0x0D, 0x0A], at: position), count < Self.maximumParts else { throw Malformed() }
        position += 2
        count += 1
        return try head()
    }

    /// The content of the part whose name ``next()`` has returned.
    ///
    /// - Parameter limit: the position in the body before which the content has to end.
    mutating func content(before limit: Int = .max) throws(Malformed) -> ArraySlice<UInt8> {
        // If the part is empty, the CR LF that ends its header is also the beginning of the delimiter. So the search begins before this CR
        // LF.
        guard let end = Self.find(delimiter, in: body, from: position - 2, to: limit) else { throw Malformed() }
        let content = body.clamped(from: position, to: end)
        position = end + delimiter.count
        return content
    }

    /// Reads the header of a part and returns the part's name. Afterwards the position is at the beginning of the part's content.
    private mutating func head() throws(Malformed) -> String {
        let head = body.clamped(from: position, to: position + Self.maximumHeadBytes)
        var name: String?
        while true {
            guard let end = head.clamped(from: position).firstIndex(of: 0x0D), body.element(at: end + 1) == 0x0A else {
                throw Malformed()
            }
            let line = head.clamped(from: position, to: end)
            position = end + 2
            if line.isEmpty { break }
            if let found = Self.name(of: line) {
                guard name == nil else { throw Malformed() }
                name = found
            }
        }
        guard let name else { throw Malformed() }
        return name
    }

    /// The position of the first delimiter between `start` and `limit`; nil when there is none.
    private static func find(_ delimiter: [UInt8], in body: [UInt8], from start: Int, to limit: Int) -> Int? {
        var position = start
        while let found = body.clamped(from: position, to: limit).firstIndex(of: 0x0D) {
            var matched = 1
            while matched < delimiter.count, body.element(at: found + matched) == delimiter[matched] { matched += 1 }
            if matched == delimiter.count { return found }
            // No other delimiter begins within the matched bytes, because a delimiter contains a carriage return at its beginning only.
            position = found + matched
        }
        return nil
    }

    /// The parameter `name` of a header line `Content-Disposition: form-data`; nil for other header lines.
    private static func name(of line: ArraySlice<UInt8>) -> String? {
        let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let field = String(validating: parts[0], as: UTF8.self),
            field.lowercased() == "content-disposition", let text = String(validating: parts[1], as: UTF8.self)
        else { return nil }
        let value = HeaderParameters(Substring(text))
        return value.value.lowercased() == "form-data" ? value["name"] : nil
    }

    /// The boundary in a `Content-Type` of `multipart/form-data`; nil for other types.
    static func boundary(of contentType: String) -> String? {
        let value = HeaderParameters(Substring(contentType))
        return value.value.lowercased() == "multipart/form-data" ? value["boundary"] : nil
    }
}

/// An upload form: the fields with the policy and its signature, followed by the file (rules FI-10 and FI-31). A pure value.
struct UploadForm: Sendable {
    /// The size limit, in bytes, of all fields before the file, including their headers.
    static let maximumFieldBytes = 16_384

    let policy: String
    let signature: String
    /// The parser at the beginning of the file's content.
    private let rest: MultipartForm

    /// Reads only the fields before the file, so that an upload without a valid signature costs little time.
    init(_ body: [UInt8], boundary: String) throws(MultipartForm.Malformed) {
        var form = try MultipartForm(body, boundary: boundary, before: Self.maximumFieldBytes)
        var (policy, signature): (String?, String?)
        while let name = try form.next() {
            if name.isExactly("file") {
                guard let policy, let signature else { break }
                (self.policy, self.signature, rest) = (policy, signature, form)
                return
            }
            let content = try form.content(before: Self.maximumFieldBytes)
            // If several fields have the same name, the first one is used.
            if policy == nil, name.isExactly("Policy") { policy = String(validating: content, as: UTF8.self) }
            if signature == nil, name.isExactly("Signature") { signature = String(validating: content, as: UTF8.self) }
        }
        throw MultipartForm.Malformed()
    }

    /// The content of the file. This reads the rest of the body once.
    func file() throws(MultipartForm.Malformed) -> ArraySlice<UInt8> {
        var form = rest
        let content = try form.content()
        while try form.next() != nil { _ = try form.content() }
        return content
    }
}

/// The value of a header field with parameters, such as `form-data; name="a"`. Quotes and escapes are removed. A pure value.
private struct HeaderParameters {
    let value: String
    private var parameters: [(name: String, value: String)] = []

    /// The value of a parameter; nil when it is missing or repeated.
    subscript(name: String) -> String? {
        let found = parameters.filter { $0.name == name }
        return found.count == 1 ? found[0].value : nil
    }

    init(_ text: Substring) {
        var pieces: [[UInt8]] = []
        var piece: [UInt8] = []
        var (isQuoted, isEscaped) = (false, false)
        for byte in text.utf8 {
            switch byte {
            case _ where isEscaped:
                piece.append(byte)
                isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ";") where !isQuoted:
                pieces.append(piece)
                piece = []
            case 0x20, 0x09: if isQuoted { piece.append(byte) }
            default: piece.append(byte)
            }
        }
        pieces.append(piece)
        value = String(decoding: pieces[0], as: UTF8.self)
        for piece in pieces.dropFirst() {
            guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else { continue }
            parameters.append(
                (
                    String(decoding: piece.prefix(equals), as: UTF8.self).lowercased(),
                    String(decoding: piece.clamped(from: equals + 1), as: UTF8.self)
                ))
        }
    }
}
