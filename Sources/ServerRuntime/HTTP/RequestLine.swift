/// What the parser was given of a request line, so that a head that is too large for the parser can be refused for the right reason. A
/// pure value.
struct RequestLine: Hashable, Sendable {
    /// The first bytes of the target, enough to find out which API the request is for.
    private(set) var start: [UInt8] = []
    /// Bytes of the target so far.
    private(set) var targetBytes = 0
    private var part = Part.before

    private enum Part: Hashable, Sendable {
        case before, method, target, done
    }

    static let keptBytes = 256

    /// Whether the target alone is longer than any target may be.
    var isTooLong: Bool { targetBytes > RequestTarget.maximumBytes }

    /// Reads further bytes of the request.
    mutating func note(_ bytes: some Sequence<UInt8>) {
        guard part != .done else { return }
        for byte in bytes {
            switch part {
            case .before where byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n"): continue
            case .before: part = .method
            case .method where byte == UInt8(ascii: " "): part = .target
            case .method where byte == UInt8(ascii: "\n"): part = .done
            case .method: continue
            case .target where byte <= UInt8(ascii: " "): part = .done
            case .target:
                targetBytes += 1
                if start.count < Self.keptBytes { start.append(byte) }
            case .done: return
            }
        }
    }
}
