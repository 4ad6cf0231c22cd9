/// A cache of the channel and event names that a connection receives, so that a repeated name needs no allocation.
///
/// Its size is limited: a hash of the name's bytes selects a slot, and a new name replaces the previous one in its slot. Long names are not
/// cached.
public struct NameTable: Sendable {
    /// The length of the longest cached name, in bytes. A longer name is allocated each time it is received.
    @inlinable
    public static var longestName: Int { 200 }

    @usableFromInline let mask: Int
    @usableFromInline var names: [String] = []

    /// - Parameter capacity: the number of slots, at most 4096, rounded up to a power of two; 0 disables the cache.
    public init(capacity: Int) {
        var size = 1
        while size < min(capacity, 4096) { size *= 2 }
        mask = capacity > 0 ? size - 1 : -1
    }

    /// The name that consists of these bytes, from the cache if possible. The bytes must be UTF-8.
    @inlinable @inline(__always)
    public mutating func name(_ bytes: UnsafeRawBufferPointer) -> String {
        guard mask >= 0, bytes.count <= Self.longestName, !bytes.isEmpty else {
            return String(decoding: bytes, as: UTF8.self)
        }
        if names.isEmpty { names = [String](repeating: "", count: mask + 1) }
        let place = Self.hash(bytes) & mask
        let known = names[place].utf8.withContiguousStorageIfAvailable {
            JSONBytes.equal(UnsafeRawBufferPointer($0), bytes)
        }
        if known == true { return names[place] }
        let name = String(decoding: bytes, as: UTF8.self)
        names[place] = name
        return name
    }

    /// A hash of the length, the first and the last eight bytes. This spreads names well enough, because a collision costs only one
    /// allocation.
    @inlinable @inline(__always)
    static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var mixed = UInt64(truncatingIfNeeded: bytes.count)
        if bytes.count >= 8 {
            mixed ^= JSONBytes.word(bytes, at: 0) &* 0x9E37_79B9_7F4A_7C15
            mixed = (mixed << 29 | mixed >> 35) ^ JSONBytes.word(bytes, at: bytes.count - 8)
        } else {
            for byte in bytes { mixed = mixed << 8 | UInt64(byte) }
        }
        mixed = mixed &* 0xBF58_476D_1CE4_E5B9
        return Int(truncatingIfNeeded: mixed >> 40)
    }
}
