/// The mask with which a client's payload is combined: four bytes (RFC 6455, 5.3).
struct FrameMask: Hashable, Sendable {
    /// The four bytes of the mask in the order in which they are sent.
    var wire: UInt32

    /// Masks or unmasks `bytes` in place, eight bytes at a time. `offset` is the position of the first byte within the payload.
    func apply(to bytes: UnsafeMutableRawBufferPointer, offset: Int = 0) {
        if wire == 0 { return }
        let pattern = pattern(at: offset)
        var index = 0
        while index &+ 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(of: word ^ pattern, toByteOffset: index, as: UInt64.self)
            index &+= 8
        }
        withUnsafeBytes(of: pattern) { pattern in
            while index < bytes.count {
                bytes[index] ^= pattern[index & 7]
                index &+= 1
            }
        }
    }

    /// The mask repeated to eight bytes, and rotated so that its first byte applies to the payload's byte at `offset`.
    private func pattern(at offset: Int) -> UInt64 {
        let twice = UInt64(wire) << 32 | UInt64(wire)
        let turn = UInt64(offset & 3) &* 8
        if turn == 0 { return twice }
        #if _endian(little)
            return twice >> turn | twice << (64 &- turn)
        #else
            return twice << turn | twice >> (64 &- turn)
        #endif
    }
}
