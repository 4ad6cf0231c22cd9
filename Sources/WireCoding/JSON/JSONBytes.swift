/// Byte-level functions that the JSON scanner and the JSON writer share.
public enum JSONBytes {
    // The constants are computed properties, because reading a stored constant of another module needs a call.
    @inlinable
    public static var quote: UInt8 { UInt8(ascii: "\"") }
    @inlinable
    public static var backslash: UInt8 { UInt8(ascii: "\\") }

    @inlinable
    static var ones: UInt64 { 0x0101_0101_0101_0101 }
    @inlinable
    static var highs: UInt64 { 0x8080_8080_8080_8080 }

    /// Finds the bytes of a word that need an escape in a JSON string: quotes, backslashes and control characters. The high bit of each
    /// such byte is set in the result. Only the lowest set bit is exact, because a borrow can affect the bytes above it.
    @inlinable @inline(__always)
    public static func specials(_ word: UInt64) -> UInt64 {
        let quotes = word ^ (ones &* UInt64(quote))
        let backslashes = word ^ (ones &* UInt64(backslash))
        let isQuote = (quotes &- ones) & ~quotes
        let isBackslash = (backslashes &- ones) & ~backslashes
        let isControl = (word &- (ones &* 0x20)) & ~word
        return (isQuote | isBackslash | isControl) & highs
    }

    @inlinable @inline(__always)
    public static func isSpecial(_ byte: UInt8) -> Bool {
        byte == quote || byte == backslash || byte < 0x20
    }

    /// Eight bytes as a word. The first byte is the lowest one, regardless of the machine's byte order.
    @inlinable @inline(__always)
    public static func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Whether all eight bytes of the word are decimal digits.
    @inlinable @inline(__always)
    static func areDigits(_ word: UInt64) -> Bool {
        // The upper half of a digit is 3 before and after adding 6; for any other byte, it differs in at least one of these two cases.
        let upper: UInt64 = 0xF0F0_F0F0_F0F0_F0F0
        let zeros = ones &* 0x30
        return word & upper == zeros && (word &+ ones &* 6) & upper == zeros
    }

    /// The value of eight decimal digits, of which the first is the lowest byte of the word; nil when a byte is not a digit.
    @inlinable @inline(__always)
    public static func eightDigits(_ word: UInt64) -> UInt64? {
        guard areDigits(word) else { return nil }
        // Each line combines neighbouring values: digits to numbers of two digits, these to numbers of four digits, and these to the whole
        // number.
        var value = word &- ones &* 0x30
        value = (value &* 10 &+ value >> 8) & 0x00FF_00FF_00FF_00FF
        value = (value &* 100 &+ value >> 16) & 0x0000_FFFF_0000_FFFF
        return (value &* 10_000 &+ value >> 32) & 0xFFFF_FFFF
    }

    /// The offset of the first byte at or after `start` that needs an escape in a string; the number of bytes when there is none.
    @inlinable @inline(__always)
    public static func firstSpecial(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = start
        while offset &+ 8 <= bytes.count {
            let marks = specials(word(bytes, at: offset))
            if marks != 0 { return offset &+ (marks.trailingZeroBitCount >> 3) }
            offset &+= 8
        }
        while offset < bytes.count, !isSpecial(bytes[offset]) { offset &+= 1 }
        return offset
    }

    /// Whether two memory ranges of the same length have the same bytes. Do not compare secrets with it, because it stops at the first
    /// difference.
    @inlinable @inline(__always)
    public static func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        var offset = 0
        while offset &+ 8 <= left.count {
            if word(left, at: offset) != word(right, at: offset) { return false }
            offset &+= 8
        }
        while offset < left.count {
            if left[offset] != right[offset] { return false }
            offset &+= 1
        }
        return true
    }

    /// A copy of the bytes without those that are not well-formed UTF-8.
    public static func withoutInvalidUTF8(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var start = 0
        while let invalid = firstInvalidUTF8(bytes, from: start) {
            out.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<invalid]))
            start = invalid + 1
        }
        out.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start...]))
        return out
    }

    /// The offset of the first byte at or after `start` that is not well-formed UTF-8; nil when all are. Use it for input that no WebSocket
    /// layer has checked.
    public static func firstInvalidUTF8(_ bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        var offset = start
        while offset < bytes.count {
            if offset &+ 8 <= bytes.count, word(bytes, at: offset) & highs == 0 {
                offset &+= 8
                continue
            }
            guard let length = sequenceLength(bytes, at: offset) else { return offset }
            offset += length
        }
        return nil
    }

    /// The length of the well-formed UTF-8 sequence at `offset`, by table 3-7 of the Unicode standard; nil when there is none.
    private static func sequenceLength(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? {
        let first = bytes[offset]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: return nil
        }
        guard offset + length <= bytes.count, second.contains(bytes[offset + 1]) else { return nil }
        for next in (offset + 2)..<max(offset + length, offset + 2) where !(0x80...0xBF).contains(bytes[next]) { return nil }
        return length
    }
}
