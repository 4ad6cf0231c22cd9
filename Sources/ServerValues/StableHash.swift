/// A hash of bytes that is the same in every process, on every machine and in every version: FNV-1a with 64 bits, followed by the finalizer
/// of MurmurHash3, so that every bit depends on every byte.
///
/// The hash determines where stored data is found, so it must never change. It does not resist an attacker who chooses the bytes.
package enum StableHash {
    private static let basis: UInt64 = 0xCBF2_9CE4_8422_2325
    private static let prime: UInt64 = 0x0000_0100_0000_01B3

    /// Returns the hash of several texts, which are joined by a zero byte.
    package static func of(_ texts: String...) -> UInt64 {
        var hash = basis
        for (index, text) in texts.enumerated() {
            if index > 0 { hash = hash &* prime }
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* prime }
        }
        return mixed(hash)
    }

    private static func mixed(_ hash: UInt64) -> UInt64 {
        var hash = hash
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return hash ^ (hash >> 33)
    }
}
