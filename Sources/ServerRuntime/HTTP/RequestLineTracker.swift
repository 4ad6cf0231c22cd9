/// Tracks the request line in the bytes that the parser gets. When a head is too large for the parser, this shows whether its target or its
/// fields are too long. A pure value.
///
/// The tracker cannot detect where a request ends, so it also reads lines of fields and bodies; a line that does not begin like a request
/// line is ignored. A request line that follows a body in the same line is not detected.
struct RequestLineTracker: Hashable, Sendable {
    /// The first bytes of the current target, or of the target that is too long. They are enough to determine which API the request is for.
    private(set) var start: [UInt8] = []
    /// The number of bytes of the current target so far.
    private(set) var targetBytes = 0
    private var part = Part.method(0)

    private enum Part: Hashable, Sendable {
        /// Within the method; the associated value is the number of its letters so far.
        case method(Int)
        case target, done
    }

    static let keptBytes = 256
    /// The largest length of a method in bytes; a line with a longer first word is part of a body.
    private static let maximumMethodBytes = 32

    /// Whether the current target exceeds the limit of targets. The connection handles no request after such a line.
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
