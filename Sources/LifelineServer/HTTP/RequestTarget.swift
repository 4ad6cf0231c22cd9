/// What a request line asks for: the path and the query, cut up and percent-decoded.
///
/// A value; knows no routes. Nothing here ever names a file, so `..` and encoded slashes are only text (rule SV-7).
struct RequestTarget: Hashable, Sendable {
    /// The path as it came.
    var rawPath: String
    /// The parts of the path between slashes, each decoded on its own: an encoded slash stays inside its part.
    var segments: [String]
    /// Query parameters in the order that they came.
    var parameters: [Parameter]

    struct Parameter: Hashable, Sendable {
        var name: String
        var value: String
    }

    /// The longest target that is looked at, in bytes.
    static let maximumBytes = 8192

    init(parsing target: String) throws(HTTPProblem) {
        guard target.utf8.count <= Self.maximumBytes else { throw .targetTooLong }
        var rest = target[...]
        if !rest.hasPrefix("/") {
            // The absolute form, which RFC 9112 (3.2.2) wants servers to take.
            guard rest.hasPrefix("http://") || rest.hasPrefix("https://"),
                let slash = rest.dropFirst(8).firstIndex(of: "/")
            else { throw .malformedTarget }
            rest = rest[slash...]
        }
        guard !rest.utf8.contains(UInt8(ascii: "#")) else { throw .malformedTarget }
        let mark = rest.firstIndex(of: "?") ?? rest.endIndex
        rawPath = String(rest[..<mark])
        segments = []
        for part in rawPath.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            segments.append(try Self.decoded(part, plusIsSpace: false))
        }
        parameters = []
        for pair in rest[mark...].dropFirst().split(separator: "&") {
            let equals = pair.firstIndex(of: "=") ?? pair.endIndex
            parameters.append(
                Parameter(
                    name: try Self.decoded(pair[..<equals], plusIsSpace: true),
                    value: try Self.decoded(pair[equals...].dropFirst(), plusIsSpace: true)))
        }
    }

    /// The path with its escapes decoded.
    var decodedPath: String { "/" + segments.joined(separator: "/") }

    /// The value of a parameter; nil when it is missing, an error when it came twice.
    func value(of name: String) throws(HTTPProblem) -> String? {
        var found: String?
        for parameter in parameters where parameter.name == name {
            if found != nil { throw .repeatedParameter }
            found = parameter.value
        }
        return found
    }

    private static func decoded(_ text: Substring, plusIsSpace: Bool) throws(HTTPProblem) -> String {
        let bytes = text.utf8
        if !bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) { return String(text) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index = bytes.index(after: index)
            if byte == UInt8(ascii: "%") {
                guard let end = bytes.index(index, offsetBy: 2, limitedBy: bytes.endIndex),
                    let value = UInt8(hexadecimal: bytes[index..<end])
                else { throw .malformedTarget }
                decoded.append(value)
                index = end
            } else {
                decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        guard let text = String(validating: decoded, as: UTF8.self) else { throw .malformedTarget }
        return text
    }
}

extension UInt8 {
    /// Two hexadecimal digits of either case.
    fileprivate init?(hexadecimal digits: Substring.UTF8View) {
        var value: UInt8 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | (digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | (digit - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | (digit - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        self = value
    }
}
