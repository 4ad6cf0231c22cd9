/// Checks that bytes are valid UTF-8, in pieces of any size (RFC 3629).
///
/// Fails at the first byte that cannot be part of valid text, so that invalid text in a long message is refused early.
public struct UTF8Validator: Hashable, Sendable {
    /// The number of continuation bytes that are missing from the last character of the bytes checked so far.
    private var missing: UInt8 = 0
    /// The bounds of the next continuation byte. After some first bytes of a character the bounds are narrower than 0x80...0xBF.
    private var lower: UInt8 = 0x80
    private var upper: UInt8 = 0xBF

    public init() {}

    /// Whether the checked bytes end with a complete character.
    public var isComplete: Bool { missing == 0 }

    /// Whether `bytes` is complete, valid UTF-8.
    public static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var validator = UTF8Validator()
        return validator.accept(bytes) && validator.isComplete
    }

    /// Checks the next bytes. Returns false when they are invalid; the validator must not be used after that.
    public mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let highBits: UInt64 = 0x8080_8080_8080_8080
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                while index &+ 8 <= bytes.count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & highBits == 0
                {
                    index &+= 8
                }
                if index == bytes.count { return true }
            }
            if !accept(bytes[index]) { return false }
            index &+= 1
        }
        return true
    }

    private mutating func accept(_ byte: UInt8) -> Bool {
        if missing > 0 {
            guard byte >= lower && byte <= upper else { return false }
            missing &-= 1
            (lower, upper) = (0x80, 0xBF)
            return true
        }
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lower) = (2, 0xA0)
        case 0xED: (missing, upper) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lower) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, upper) = (3, 0x8F)
        default: return false
        }
        return true
    }
}
