import Crypto

#if canImport(CommonCrypto)
    import CommonCrypto
#else
    import CryptoExtras
#endif

/// AES in CBC mode. Apple platforms use the system's implementation, so that apps need no second copy of BoringSSL. Other platforms use
/// swift-crypto (rule PC-15).
enum BlockCipher {
    /// Thrown when the key or the initialisation vector has a wrong length, when the data is not a multiple of the block size, or when the
    /// padding is invalid.
    struct Failure: Error {}

    static let blockSize = 16

    /// Encrypts data with the padding of PKCS #7. The padding has 1 to 16 bytes, and the value of each byte is the number of padding bytes.
    static func encrypt(_ bytes: some Collection<UInt8>, key: SymmetricKey, iv: [UInt8]) throws(Failure) -> [UInt8] {
        let padding = blockSize - bytes.count % blockSize
        return try encryptBlocks(Array(bytes) + [UInt8](repeating: UInt8(padding), count: padding), key: key, iv: iv)
    }

    /// Decrypts data and removes the padding.
    static func decrypt(_ bytes: some Collection<UInt8>, key: SymmetricKey, iv: [UInt8]) throws(Failure) -> [UInt8] {
        var plain = try decryptBlocks(Array(bytes), key: key, iv: iv)
        guard let last = plain.last, (1...blockSize).contains(Int(last)), plain.count >= Int(last),
            plain.suffix(Int(last)).allSatisfy({ $0 == last })
        else { throw Failure() }
        plain.removeLast(Int(last))
        return plain
    }

    /// Encrypts complete blocks of 16 bytes, without padding.
    static func encryptBlocks(_ blocks: [UInt8], key: SymmetricKey, iv: [UInt8]) throws(Failure) -> [UInt8] {
        #if canImport(CommonCrypto)
            return try crypt(CCOperation(kCCEncrypt), blocks, key: key, iv: iv)
        #else
            guard blocks.count % blockSize == 0, let start = try? AES._CBC.IV(ivBytes: iv),
                let result = try? AES._CBC.encrypt(blocks, using: key, iv: start, noPadding: true)
            else { throw Failure() }
            return Array(result)
        #endif
    }

    /// Decrypts complete blocks of 16 bytes, without removing padding.
    static func decryptBlocks(_ blocks: [UInt8], key: SymmetricKey, iv: [UInt8]) throws(Failure) -> [UInt8] {
        #if canImport(CommonCrypto)
            return try crypt(CCOperation(kCCDecrypt), blocks, key: key, iv: iv)
        #else
            guard blocks.count % blockSize == 0, let start = try? AES._CBC.IV(ivBytes: iv),
                let result = try? AES._CBC.decrypt(blocks, using: key, iv: start, noPadding: true)
            else { throw Failure() }
            return Array(result)
        #endif
    }

    #if canImport(CommonCrypto)
        private static func crypt(
            _ operation: CCOperation, _ blocks: [UInt8], key: SymmetricKey, iv: [UInt8]
        ) throws(Failure) -> [UInt8] {
            guard blocks.count % blockSize == 0, iv.count == blockSize else { throw Failure() }
            let capacity = blocks.count
            var result = [UInt8](repeating: 0, count: capacity)
            var count = 0
            let status = key.withUnsafeBytes { key in
                CCCrypt(
                    operation, CCAlgorithm(kCCAlgorithmAES), 0, key.baseAddress, key.count, iv, blocks, blocks.count, &result,
                    capacity, &count)
            }
            guard status == CCCryptorStatus(kCCSuccess), count == capacity else { throw Failure() }
            return result
        }
    #endif
}
