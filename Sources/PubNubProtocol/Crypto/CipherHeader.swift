/// The header in front of a ciphertext of ``PubNubCipher/Form/current``. It names the cipher and contains the initialisation vector.
struct CipherHeader: Hashable, Sendable {
    static let sentinel: [UInt8] = Array("PNED".utf8)
    static let version: UInt8 = 1
    /// The name of the cipher AES-256 in CBC mode with a random initialisation vector.
    static let aesCBC: [UInt8] = Array("ACRH".utf8)

    var cryptor: [UInt8]
    var data: [UInt8]

    var bytes: [UInt8] {
        var out = Self.sentinel + [Self.version] + cryptor
        if data.count < 0xFF {
            out.append(UInt8(data.count))
        } else {
            out += [0xFF, UInt8(truncatingIfNeeded: data.count >> 8), UInt8(truncatingIfNeeded: data.count)]
        }
        return out + data
    }

    /// Whether the data begins with a header. Data without a header has the legacy form.
    static func begins(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.starts(with: sentinel) }

    /// Parses the header and removes it from the beginning of `bytes`.
    init(takingFrom bytes: inout ArraySlice<UInt8>) throws(PubNubCipherError) {
        _ = try Self.take(Self.sentinel.count, from: &bytes)
        guard try Self.take(1, from: &bytes).first == Self.version else { throw .unknownCryptor }
        cryptor = Array(try Self.take(4, from: &bytes))
        var length = Int(try Self.take(1, from: &bytes).first ?? 0)
        if length == 0xFF {
            length = try Self.take(2, from: &bytes).reduce(0) { $0 << 8 | Int($1) }
        }
        data = Array(try Self.take(length, from: &bytes))
    }

    init(cryptor: [UInt8], data: [UInt8]) {
        self.cryptor = cryptor
        self.data = data
    }

    private static func take(_ count: Int, from bytes: inout ArraySlice<UInt8>) throws(PubNubCipherError) -> ArraySlice<UInt8> {
        guard bytes.count >= count else { throw .malformedHeader }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }
}
