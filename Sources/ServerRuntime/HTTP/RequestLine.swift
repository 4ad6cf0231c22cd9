/// The request line's bytes that the parser was given, so that a head that is too large for the parser is refused for the right reason:
/// its target, or its fields. A pure value.
///
/// Nothing is known of where a request ends and the next one begins, so lines of fields and bodies are followed, too; what does not begin
/// as a request line is no such line. A request line that stands behind a body in one line with it is not seen.
struct RequestLine: Hashable, Sendable {
    /// The first bytes of the target that is too long, or of the last line's; enough to find out which API the request is for.
    private(set) var start: [UInt8] = []
    /// Bytes of this target so far.
    private(set) var targetBytes = 0
    private var part = Part.method(0)

    private enum Part: Hashable, Sendable {
        /// Letters of the method so far.
        case method(Int)
        case target, done
    }

    static let keptBytes = 256
    /// No method is longer; what is longer is a line of a body.
    private static let maximumMethodBytes = 32

    /// Whether the target of a line is longer than any target may be. The connection has no other request after such a one.
    var isTooLong: Bool { targetBytes > RequestTarget.maximumBytes }

    /// Reads further bytes of the connection.
    mutating func note(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !isTooLong, let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            append(rest[..<end])
            if isTooLong { return }
            self = RequestLine()
            rest = rest[end...].dropFirst()
        }
        append(rest)
    }

    private mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>) {
        for byte in bytes {
            switch part {
            case .method(let count) where UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte && count < Self.maximumMethodBytes:
                part = .method(count + 1)
            case .method(1...) where byte == UInt8(ascii: " "): part = .target
            case .method, .done:
                part = .done
                return
            case .target where byte <= UInt8(ascii: " "): part = .done
            case .target:
                targetBytes += 1
                if start.count < Self.keptBytes { start.append(byte) }
            }
        }
    }
}
