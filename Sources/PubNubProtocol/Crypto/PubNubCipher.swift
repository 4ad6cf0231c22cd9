import Crypto
import WireCoding

/// Encrypts and decrypts messages and files with a cipher key (rules PC-1 to PC-12).
///
/// A value without state; any thread may use it. Encrypts in one form and decrypts both, which are distinguished by the header. Neither
/// form authenticates the sender: any publisher can replay or change a message.
public struct PubNubCipher: Sendable, CustomStringConvertible, CustomReflectable {
    /// How data is encrypted.
    public enum Form: Hashable, Sendable {
        /// The cipher of SDKs up to 2023: the key is half of a hash, and there is no header.
        case legacy
        /// The AES-CBC crypto module: the key is a whole hash, and a header names the method.
        case current
    }

    public let form: Form
    /// Whether the legacy form begins with a random initialisation vector. Otherwise the vector is constant, so that equal messages
    /// have equal ciphertexts.
    public let usesRandomIV: Bool
    let legacyKey: SymmetricKey
    let currentKey: SymmetricKey
    /// Additional keys for decrypting messages and files, such as the former cipher key. Empty, or at most ``maximumReaders``.
    private(set) var readers: [PubNubCipher] = []

    /// The most reading keys in addition to the cipher key: each costs an attempt for every message that no key decrypts.
    public static let maximumReaders = 7

    static let blockSize = BlockCipher.blockSize
    static let staticIV: [UInt8] = Array("0123456789012345".utf8)

    /// - Parameters:
    ///   - key: the cipher key that all participants share.
    ///   - form: how to encrypt.
    ///   - usesRandomIV: whether the legacy form has a random initialisation vector, for encrypting and decrypting.
    public init(key: String, form: Form = .legacy, usesRandomIV: Bool = true) {
        self.form = form
        self.usesRandomIV = usesRandomIV
        let hash = Array(SHA256.hash(data: Array(key.utf8)))
        currentKey = SymmetricKey(data: hash)
        legacyKey = SymmetricKey(data: Array(Hex.text(hash).utf8.prefix(32)))
    }

    /// The same cipher with additional reading keys (rule PC-14). Only the first ``maximumReaders`` are used.
    public func reading(_ keys: [String]) -> PubNubCipher {
        var cipher = self
        cipher.readers = keys.prefix(Self.maximumReaders).map { PubNubCipher(key: $0, form: form, usesRandomIV: usesRandomIV) }
        return cipher
    }

    public var description: String { "PubNubCipher(\(form))" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Encrypts bytes: initialisation vector or header, then the ciphertext.
    ///
    /// - Parameter generator: a cryptographically secure generator.
    public func encrypt(
        _ bytes: [UInt8], using generator: inout some RandomNumberGenerator
    ) throws(PubNubCipherError) -> [UInt8] {
        guard !bytes.isEmpty else { throw .empty }
        let start = start(using: &generator)
        guard let ciphertext = try? BlockCipher.encrypt(bytes, key: start.key, iv: start.iv) else { throw .encryptionFailed }
        return start.prefix + ciphertext
    }

    /// Encrypts bytes with the system's random numbers.
    public func encrypt(_ bytes: [UInt8]) throws(PubNubCipherError) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return try encrypt(bytes, using: &generator)
    }

    /// Decrypts bytes of either form.
    public func decrypt(_ bytes: [UInt8]) throws(PubNubCipherError) -> [UInt8] {
        guard !bytes.isEmpty else { throw .empty }
        var rest = bytes[...]
        let opening = try opening(takingFrom: &rest)
        guard let plain = try? BlockCipher.decrypt(rest, key: opening.key, iv: opening.iv) else { throw .decryptionFailed }
        return plain
    }

    /// The prefix of a new ciphertext, and the initialisation vector and key with which it is made.
    func start(
        using generator: inout some RandomNumberGenerator
    ) -> (prefix: [UInt8], iv: [UInt8], key: SymmetricKey) {
        switch form {
        case .legacy where !usesRandomIV:
            return ([], Self.staticIV, legacyKey)
        case .legacy:
            let iv = Self.randomIV(using: &generator)
            return (iv, iv, legacyKey)
        case .current:
            let iv = Self.randomIV(using: &generator)
            return (CipherHeader(cryptor: CipherHeader.aesCBC, data: iv).bytes, iv, currentKey)
        }
    }

    /// Removes the header in front of a ciphertext.
    func opening(
        takingFrom bytes: inout ArraySlice<UInt8>
    ) throws(PubNubCipherError) -> (iv: [UInt8], key: SymmetricKey) {
        if CipherHeader.begins(bytes) {
            let header = try CipherHeader(takingFrom: &bytes)
            guard header.cryptor == CipherHeader.aesCBC else { throw .unknownCryptor }
            guard header.data.count == Self.blockSize else { throw .malformedHeader }
            return (header.data, currentKey)
        }
        guard usesRandomIV else { return (Self.staticIV, legacyKey) }
        guard bytes.count > Self.blockSize else { throw .decryptionFailed }
        defer { bytes = bytes.dropFirst(Self.blockSize) }
        return (Array(bytes.prefix(Self.blockSize)), legacyKey)
    }

    private static func randomIV(using generator: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<blockSize).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
