import Crypto
import WireCoding

/// Encrypts and decrypts messages and files with a cipher key (rules PC-1 to PC-12).
///
/// A value without mutable state that any thread may use. It encrypts in one of two forms and decrypts both; data in the current form
/// begins with a header. Neither form authenticates the sender: any publisher can replay or change a message.
public struct PubNubCipher: Sendable, CustomStringConvertible, CustomReflectable {
    /// The form of encrypted data.
    public enum Form: Hashable, Sendable {
        /// The form of SDKs up to 2023. The AES key is half of a hash of the cipher key, and there is no header.
        case legacy
        /// The form of the AES-CBC crypto module. The AES key is a whole hash of the cipher key, and a header names the cipher.
        case current
    }

    public let form: Form
    /// Whether data in the legacy form begins with a random initialisation vector. When false, all data is encrypted with the same constant
    /// vector, so that equal messages have equal ciphertexts.
    public let usesRandomIV: Bool
    let legacyKey: SymmetricKey
    let currentKey: SymmetricKey
    /// Additional keys that decrypt messages and files, such as a former cipher key; at most ``maximumReaders``.
    private(set) var readers: [PubNubCipher] = []

    /// The maximum number of additional keys. There is a limit because each key is tried before a message counts as undecryptable.
    public static let maximumReaders = 7

    static let blockSize = BlockCipher.blockSize
    static let staticIV: [UInt8] = Array("0123456789012345".utf8)

    /// - Parameters:
    ///   - key: the cipher key, which publishers and subscribers share.
    ///   - form: the form in which data is encrypted.
    ///   - usesRandomIV: whether the legacy form has a random initialisation vector, for encrypting and decrypting.
    public init(key: String, form: Form = .legacy, usesRandomIV: Bool = true) {
        self.form = form
        self.usesRandomIV = usesRandomIV
        let hash = Array(SHA256.hash(data: Array(key.utf8)))
        currentKey = SymmetricKey(data: hash)
        legacyKey = SymmetricKey(data: Array(Hex.text(hash).utf8.prefix(32)))
    }

    /// A copy of this cipher with additional keys for decrypting (rule PC-14). Only the first ``maximumReaders`` keys are used.
    public func reading(_ keys: [String]) -> PubNubCipher {
        var cipher = self
        cipher.readers = keys.prefix(Self.maximumReaders).map { PubNubCipher(key: $0, form: form, usesRandomIV: usesRandomIV) }
        return cipher
    }

    public var description: String { "PubNubCipher(\(form))" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Encrypts bytes. The result begins with the initialisation vector or the header, followed by the ciphertext.
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

    /// Encrypts bytes with the system's random number generator.
    public func encrypt(_ bytes: [UInt8]) throws(PubNubCipherError) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return try encrypt(bytes, using: &generator)
    }

    /// Decrypts bytes of either form: with a header or without one.
    public func decrypt(_ bytes: [UInt8]) throws(PubNubCipherError) -> [UInt8] {
        guard !bytes.isEmpty else { throw .empty }
        var rest = bytes[...]
        let opening = try opening(takingFrom: &rest)
        guard let plain = try? BlockCipher.decrypt(rest, key: opening.key, iv: opening.iv) else { throw .decryptionFailed }
        return plain
    }

    /// Chooses the initialisation vector and key of a new ciphertext. `prefix` are the bytes in front of the ciphertext.
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

    /// Removes the header or the initialisation vector in front of a ciphertext, and returns the vector and key for decrypting it.
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
