/// Tracks the request line in the bytes that the parser was given, so that a head that is too large for the parser is refused for
/// the right reason: its target, or its fields. A pure value.
///
/// It does not know where a request ends and the next one begins, so it also reads lines of fields and bodies; a line that does not
/// begin like a request line is ignored. A request line directly behind a body, in the same line, is not detected.
struct RequestLineTracker: Hashable, Sendable {
    /// The first bytes of the target that is too long, or of the last line's target; enough to determine the API of the request.
    private(set) var start: [UInt8] = []
    /// The number of bytes of this target so far.
    private(set) var targetBytes = 0
    private var part = Part.method(0)

    private enum Part: Hashable, Sendable {
        /// The number of letters of the method so far.
        case method(Int)
        case target, done
    }

    static let keptBytes = 256
    /// The largest length of a method; a longer word is a line of a body.
    private static let maximumMethodBytes = 32

    /// Whether the target of a line exceeds the limit of targets. The connection handles no request after such a line.
    var isTooLong: Bool { targetBytes > RequestTarget.maximumBytes }

    /// Reads further bytes of the connection.
    mutating func note(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !isTooLong, let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            append(rest[..<end])
            if isTooLong { return }
            self = RequestLineTracker()
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
