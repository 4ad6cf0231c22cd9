import Crypto
import CryptoExtras
import Testing

@testable import PubNubProtocol

/// Rule PC-15: AES-CBC is the same, whoever computes it.
@Suite struct BlockCipherTests {
    private let key = SymmetricKey(data: Array(0..<32 as Range<UInt8>))
    private let iv = Array(100..<116 as Range<UInt8>)

    @Test func `Every length is encrypted as swift-crypto does it, and comes back`() throws {
        for count in 0...49 {
            let plain = (0..<count).map { UInt8($0) }
            let encrypted = try BlockCipher.encrypt(plain, key: key, iv: iv)
            #expect(encrypted == Array(try AES._CBC.encrypt(plain, using: key, iv: AES._CBC.IV(ivBytes: iv))))
            #expect(try BlockCipher.decrypt(encrypted, key: key, iv: iv) == plain)
        }
    }

    @Test(arguments: [
        [UInt8](repeating: 0, count: 16), [UInt8](repeating: 17, count: 16), [UInt8](repeating: 255, count: 32),
        [UInt8](repeating: 7, count: 14) + [1, 2], [UInt8](repeating: 3, count: 13) + [9, 3, 3],
    ])
    func `A padding that is none is refused`(blocks: [UInt8]) throws {
        let encrypted = try BlockCipher.encryptBlocks(blocks, key: key, iv: iv)
        #expect(try BlockCipher.decryptBlocks(encrypted, key: key, iv: iv) == blocks)
        #expect(throws: BlockCipher.Failure.self) { try BlockCipher.decrypt(encrypted, key: key, iv: iv) }
    }

    @Test func `Nothing, parts of blocks, and a short vector are refused`() throws {
        for count in [0, 1, 15, 17] {
            #expect(throws: BlockCipher.Failure.self) {
                try BlockCipher.decrypt([UInt8](repeating: 1, count: count), key: key, iv: iv)
            }
        }
        #expect(throws: BlockCipher.Failure.self) { try BlockCipher.encryptBlocks([1], key: key, iv: iv) }
        #expect(throws: BlockCipher.Failure.self) { try BlockCipher.encrypt([1], key: key, iv: [1, 2]) }
    }
}
