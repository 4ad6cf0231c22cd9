import WireCoding

/// XSalsa20-Poly1305 in the format of NaCl's `crypto_secretbox`: sixteen bytes of authentication tag, then the ciphertext.
///
/// Constant-time: no branch and no index depends on a key, a nonce or a plaintext. Sources: D. J. Bernstein, "Extending the
/// Salsa20 nonce", "The Poly1305-AES message-authentication code" and "Cryptography in NaCl"; rule PE-2.
public enum SecretBox {
    public static let keySize = 32
    public static let nonceSize = 24
    public static let overhead = 16

    /// Encrypts and authenticates a plaintext. A nonce must never be used twice with the same key.
    public static func seal(
        _ plaintext: [UInt8], nonce: [UInt8], key: [UInt8]
    ) throws(SecretBoxError) -> [UInt8] {
        guard key.count == keySize else { throw .wrongKeySize }
        guard nonce.count == nonceSize else { throw .wrongNonceSize }
        // The first 32 bytes of the key stream are the authenticator's key, so the plaintext starts after them.
        var padded = [UInt8](repeating: 0, count: 32)
        padded.append(contentsOf: plaintext)
        var stream = Salsa20(key: key, nonce: nonce)
        let authenticatorKey = stream.apply(to: &padded)
        let tag = Poly1305.tag(of: padded[32...], key: authenticatorKey)
        padded.replaceSubrange(0..<32, with: tag)
        return padded
    }

    /// Checks and decrypts.
    public static func open(
        _ box: [UInt8], nonce: [UInt8], key: [UInt8]
    ) throws(SecretBoxError) -> [UInt8] {
        guard key.count == keySize else { throw .wrongKeySize }
        guard nonce.count == nonceSize else { throw .wrongNonceSize }
        guard box.count >= overhead else { throw .notAuthentic }
        var stream = Salsa20(key: key, nonce: nonce)
        let tag = Poly1305.tag(of: box[overhead...], key: stream.authenticatorKey())
        guard ConstantTime.areEqual(Array(box[..<overhead]), tag) else { throw .notAuthentic }
        var padded = [UInt8](repeating: 0, count: 32)
        padded.append(contentsOf: box[overhead...])
        _ = stream.apply(to: &padded)
        padded.removeFirst(32)
        return padded
    }
}

/// The reason why data could not be encrypted or decrypted.
public enum SecretBoxError: Error, Hashable, Sendable {
    case wrongKeySize
    case wrongNonceSize
    /// The key or the nonce is wrong, or the data was changed.
    case notAuthentic
}

/// Generates the XSalsa20 key stream in blocks of 64 bytes, with sixteen words of state.
private struct Salsa20 {
    /// Key, nonce and constants in the order of Salsa20's matrix; words 8 and 9 count the blocks.
    private var input: SIMD16<UInt32>

    /// "expand 32-byte k"
    private static let constants = SIMD4<UInt32>(0x6170_7865, 0x3320_646E, 0x7962_2D32, 0x6B20_6574)

    init(key: [UInt8], nonce: [UInt8]) {
        // HSalsa20: derives a subkey from the key and the first 16 bytes of the nonce.
        let mixed = Self.rounds(Self.matrix(key: Self.words(key), tail: Self.words(Array(nonce[..<16]))))
        let subkey = [mixed[0], mixed[5], mixed[10], mixed[15], mixed[6], mixed[7], mixed[8], mixed[9]]
        input = Self.matrix(key: subkey, tail: Self.words(Array(nonce[16...])) + [0, 0])
    }

    private static func words(_ bytes: [UInt8]) -> [UInt32] {
        bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 4).map {
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self))
            }
        }
    }

    private static func matrix(key: [UInt32], tail: [UInt32]) -> SIMD16<UInt32> {
        SIMD16(
            constants[0], key[0], key[1], key[2], key[3], constants[1], tail[0], tail[1], tail[2], tail[3], constants[2],
            key[4], key[5], key[6], key[7], constants[3])
    }

    /// The one-time key of the authenticator: the first half of block 0 of the key stream.
    func authenticatorKey() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        var copy = self
        _ = copy.apply(to: &bytes)
        return bytes
    }

    /// XORs the bytes with the key stream from its start, and returns the stream's first 32 bytes.
    mutating func apply(to bytes: inout [UInt8]) -> [UInt8] {
        var first: [UInt8] = []
        var offset = 0
        input[8] = 0
        input[9] = 0
        while offset < bytes.count {
            let block = Self.rounds(input) &+ input
            if offset == 0 { first = (0..<32).map { Self.byte(block, $0) } }
            let end = min(offset + 64, bytes.count)
            bytes.withUnsafeMutableBytes { bytes in
                if end - offset == 64 {
                    for word in 0..<16 {
                        let at = offset + word * 4
                        let old = bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)
                        bytes.storeBytes(of: old ^ block[word].littleEndian, toByteOffset: at, as: UInt32.self)
                    }
                } else {
                    for at in 0..<(end - offset) {
                        bytes[offset + at] ^= Self.byte(block, at)
                    }
                }
            }
            offset = end
            input[8] &+= 1
            if input[8] == 0 { input[9] &+= 1 }
        }
        return first
    }

    @inline(__always)
    private static func byte(_ block: SIMD16<UInt32>, _ index: Int) -> UInt8 {
        let shift = UInt32(truncatingIfNeeded: index & 3) * 8
        return UInt8(truncatingIfNeeded: block[index >> 2] >> shift)
    }

    /// Twenty rounds: ten times, first the columns and then the rows of the 4 x 4 matrix.
    private static func rounds(_ x: SIMD16<UInt32>) -> SIMD16<UInt32> {
        // The diagonals of the matrix as vectors of four words, so that each quarter round processes all columns at once.
        var a = SIMD4(x[0], x[5], x[10], x[15])
        var b = SIMD4(x[4], x[9], x[14], x[3])
        var c = SIMD4(x[8], x[13], x[2], x[7])
        var d = SIMD4(x[12], x[1], x[6], x[11])
        for _ in 0..<10 {
            quarters(a: &a, b: &b, c: &c, d: &d)
            // Changes the vectors from columns to rows: b and d are exchanged, and b, c and d are rotated.
            (b, c, d) = (turned(d, by: 1), turned(c, by: 2), turned(b, by: 3))
            quarters(a: &a, b: &b, c: &c, d: &d)
            (b, c, d) = (turned(d, by: 1), turned(c, by: 2), turned(b, by: 3))
        }
        return SIMD16(
            a[0], d[1], c[2], b[3], b[0], a[1], d[2], c[3], c[0], b[1], a[2], d[3], d[0], c[1], b[2], a[3])
    }

    @inline(__always)
    private static func quarters(
        a: inout SIMD4<UInt32>, b: inout SIMD4<UInt32>, c: inout SIMD4<UInt32>, d: inout SIMD4<UInt32>
    ) {
        b ^= rotated(a &+ d, 7)
        c ^= rotated(b &+ a, 9)
        d ^= rotated(c &+ b, 13)
        a ^= rotated(d &+ c, 18)
    }

    @inline(__always)
    private static func rotated(_ word: SIMD4<UInt32>, _ bits: UInt32) -> SIMD4<UInt32> {
        word &<< SIMD4(repeating: bits) | word &>> SIMD4(repeating: 32 - bits)
    }

    @inline(__always)
    private static func turned(_ v: SIMD4<UInt32>, by places: Int) -> SIMD4<UInt32> {
        SIMD4(v[places & 3], v[(places + 1) & 3], v[(places + 2) & 3], v[(places + 3) & 3])
    }
}

/// The Poly1305 authenticator, in five limbs of 26 bits.
private enum Poly1305 {
    static func tag(of message: ArraySlice<UInt8>, key: [UInt8]) -> [UInt8] {
        let clamp: [UInt64] = [0x3FF_FFFF, 0x3FF_FF03, 0x3FF_C0FF, 0x3F0_3FFF, 0x00F_FFFF]
        let keyLimbs = key.withUnsafeBytes { limbs($0, at: 0, top: 0) }
        let r = (
            keyLimbs.0 & clamp[0], keyLimbs.1 & clamp[1], keyLimbs.2 & clamp[2], keyLimbs.3 & clamp[3], keyLimbs.4 & clamp[4]
        )
        var h: Limbs = (0, 0, 0, 0, 0)
        message.withUnsafeBytes { message in
            var offset = 0
            while offset + 16 <= message.count {
                absorb(limbs(message, at: offset, top: 1 << 24), into: &h, r)
                offset += 16
            }
            if offset < message.count {
                var last = [UInt8](message[offset...]) + [1]
                last.append(contentsOf: repeatElement(0, count: 16 - last.count))
                absorb(last.withUnsafeBytes { limbs($0, at: 0, top: 0) }, into: &h, r)
            }
        }
        return finish(h, pad: Array(key[16...]))
    }

    private typealias Limbs = (UInt64, UInt64, UInt64, UInt64, UInt64)

    /// Sixteen bytes as five limbs of 26 bits, with `top` added to the last limb.
    @inline(__always)
    private static func limbs(_ bytes: UnsafeRawBufferPointer, at offset: Int, top: UInt64) -> Limbs {
        let low = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
        let mask: UInt64 = 0x3FF_FFFF
        return (
            low & mask, low >> 26 & mask, (low >> 52 | high << 12) & mask, high >> 14 & mask, high >> 40 | top
        )
    }

    /// Adds a block to the accumulator `h` and multiplies by `r`, modulo 2^130 - 5.
    @inline(__always)
    private static func absorb(_ block: Limbs, into h: inout Limbs, _ r: Limbs) {
        let (a0, a1, a2, a3, a4) = (h.0 &+ block.0, h.1 &+ block.1, h.2 &+ block.2, h.3 &+ block.3, h.4 &+ block.4)
        let (s1, s2, s3, s4) = (r.1 &* 5, r.2 &* 5, r.3 &* 5, r.4 &* 5)
        let d0 = a0 &* r.0 &+ a1 &* s4 &+ a2 &* s3 &+ a3 &* s2 &+ a4 &* s1
        var d1 = a0 &* r.1 &+ a1 &* r.0 &+ a2 &* s4 &+ a3 &* s3 &+ a4 &* s2
        var d2 = a0 &* r.2 &+ a1 &* r.1 &+ a2 &* r.0 &+ a3 &* s4 &+ a4 &* s3
        var d3 = a0 &* r.3 &+ a1 &* r.2 &+ a2 &* r.1 &+ a3 &* r.0 &+ a4 &* s4
        var d4 = a0 &* r.4 &+ a1 &* r.3 &+ a2 &* r.2 &+ a3 &* r.1 &+ a4 &* r.0
        let mask: UInt64 = 0x3FF_FFFF
        d1 &+= d0 >> 26
        d2 &+= d1 >> 26
        d3 &+= d2 >> 26
        d4 &+= d3 >> 26
        let low = (d0 & mask) &+ (d4 >> 26) &* 5
        h = (low & mask, (d1 & mask) &+ low >> 26, d2 & mask, d3 & mask, d4 & mask)
    }

    /// Reduces the accumulator modulo 2^130 - 5, adds the second half of the key and returns sixteen bytes.
    private static func finish(_ h: Limbs, pad: [UInt8]) -> [UInt8] {
        let mask: UInt64 = 0x3FF_FFFF
        var limbs = [h.0, h.1, h.2, h.3, h.4]
        for _ in 0..<2 {
            for index in 0..<4 {
                limbs[index + 1] &+= limbs[index] >> 26
                limbs[index] &= mask
            }
            limbs[0] &+= (limbs[4] >> 26) &* 5
            limbs[4] &= mask
        }
        // Computes limbs + 5 - 2^130. If this number is not negative, it is the reduced value; otherwise `limbs` already is the reduced
        // value.
        var reduced = limbs
        reduced[0] &+= 5
        for index in 0..<4 {
            reduced[index + 1] &+= reduced[index] >> 26
            reduced[index] &= mask
        }
        let take = 0 &- (reduced[4] >> 26 & 1)
        reduced[4] &= mask
        for index in 0..<5 { limbs[index] = limbs[index] & ~take | reduced[index] & take }
        let low = limbs[0] | limbs[1] << 26 | limbs[2] << 52
        let high = limbs[2] >> 12 | limbs[3] << 14 | limbs[4] << 40
        let padWords = pad.withUnsafeBytes {
            (
                UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        let (sumLow, carry) = low.addingReportingOverflow(padWords.0)
        let sumHigh = high &+ padWords.1 &+ (carry ? 1 : 0)
        return (0..<16).map { index -> UInt8 in
            let word = index < 8 ? sumLow : sumHigh
            return UInt8(truncatingIfNeeded: word >> (UInt64(index & 7) * 8))
        }
    }
}
