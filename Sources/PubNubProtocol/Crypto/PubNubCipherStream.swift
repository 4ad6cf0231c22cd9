import Crypto

/// Encrypts or decrypts data of any length piece by piece, such as the contents of files (rule PC-11).
public struct PubNubCipherStream: Sendable {
    private enum Mode: Sendable {
        case encrypting
        /// The stream decrypts, and has not yet received the complete header or initialisation vector.
        case opening
        case decrypting
    }

    private let cipher: PubNubCipher
    private var mode: Mode
    private var key: SymmetricKey
    private var iv: [UInt8]
    private var pending: [UInt8]
    private var isEmpty = true

    /// The maximum length in bytes of a header in front of a ciphertext.
    private static let longestOpening = 12 + 0xFFFF

    /// Makes a stream that encrypts with `cipher`. In the legacy form a file always gets a random initialisation vector, even if `cipher`
    /// encrypts messages with the constant one.
    ///
    /// - Parameter generator: a cryptographically secure generator.
    public static func encrypting(
        with cipher: PubNubCipher, using generator: inout some RandomNumberGenerator
    ) -> (stream: PubNubCipherStream, prefix: [UInt8]) {
        let cipher = cipher.forFiles
        let start = cipher.start(using: &generator)
        return (PubNubCipherStream(cipher, mode: .encrypting, key: start.key, iv: start.iv), start.prefix)
    }

    /// Decrypts either form.
    public static func decrypting(with cipher: PubNubCipher) -> PubNubCipherStream {
        PubNubCipherStream(cipher.forFiles, mode: .opening, key: cipher.legacyKey, iv: PubNubCipher.staticIV)
    }

    private init(_ cipher: PubNubCipher, mode: Mode, key: SymmetricKey, iv: [UInt8]) {
        self.cipher = cipher
        self.mode = mode
        self.key = key
        self.iv = iv
        pending = []
    }

    /// Processes the next piece of data, and returns the output that is complete so far.
    public mutating func update(_ bytes: some Sequence<UInt8>) throws(PubNubCipherError) -> [UInt8] {
        pending.append(contentsOf: bytes)
        if !pending.isEmpty { isEmpty = false }
        switch mode {
        case .encrypting:
            return try encrypt(wholeBlocks(keeping: 0))
        case .opening:
            guard pending.count >= Self.longestOpening else { return [] }
            try open()
            return try decrypt(wholeBlocks(keeping: 1))
        case .decrypting:
            return try decrypt(wholeBlocks(keeping: 1))
        }
    }

    /// Processes the end of the data and returns the remaining output. No method may be called afterwards.
    public mutating func finish() throws(PubNubCipherError) -> [UInt8] {
        guard !isEmpty else { throw .empty }
        if case .encrypting = mode {
            let padding = PubNubCipher.blockSize - pending.count % PubNubCipher.blockSize
            pending += [UInt8](repeating: UInt8(padding), count: padding)
            return try encrypt(wholeBlocks(keeping: 0))
        }
        if case .opening = mode { try open() }
        guard let plain = try? BlockCipher.decrypt(pending, key: key, iv: iv) else { throw .decryptionFailed }
        pending = []
        return plain
    }

    private mutating func open() throws(PubNubCipherError) {
        var rest = pending[...]
        (iv, key) = try cipher.opening(takingFrom: &rest)
        pending = Array(rest)
        mode = .decrypting
    }

    /// Removes the complete blocks from the buffer and returns them. While decrypting, the last block stays, because it may contain the
    /// padding.
    private mutating func wholeBlocks(keeping kept: Int) -> [UInt8] {
        let size = PubNubCipher.blockSize
        let blocks = kept == 0 ? pending.count / size : max(0, (pending.count - 1) / size)
        let ready = Array(pending.prefix(blocks * size))
        pending.removeFirst(ready.count)
        return ready
    }

    private mutating func encrypt(_ blocks: [UInt8]) throws(PubNubCipherError) -> [UInt8] {
        guard !blocks.isEmpty else { return [] }
        guard let ciphertext = try? BlockCipher.encryptBlocks(blocks, key: key, iv: iv) else { throw .encryptionFailed }
        iv = Array(ciphertext.suffix(PubNubCipher.blockSize))
        return ciphertext
    }

    private mutating func decrypt(_ blocks: [UInt8]) throws(PubNubCipherError) -> [UInt8] {
        guard !blocks.isEmpty else { return [] }
        guard let plain = try? BlockCipher.decryptBlocks(blocks, key: key, iv: iv) else { throw .decryptionFailed }
        iv = Array(blocks.suffix(PubNubCipher.blockSize))
        return plain
    }
}

extension PubNubCipher {
    /// Decrypts a whole file with the cipher key or one of the additional keys of ``PubNubCipher/reading(_:)``.
    ///
    /// Only the padding of a file shows whether a key is right, and a wrong key gives a valid padding for about one of 256 files. If
    /// several keys give a valid padding, the result with the longest padding is used. If two keys give equally long paddings, decryption
    /// fails, and the caller has to pass the file's key alone (rule PC-14).
    public func decrypt(file bytes: [UInt8]) throws(PubNubCipherError) -> [UInt8] {
        var opened: [[UInt8]] = []
        var first: PubNubCipherError?
        for cipher in [self] + readers {
            do throws(PubNubCipherError) {
                var stream = PubNubCipherStream.decrypting(with: cipher)
                opened.append(try stream.update(bytes) + stream.finish())
            } catch {
                first = first ?? error
            }
        }
        guard let best = opened.min(by: { $0.count < $1.count }) else { throw first ?? .decryptionFailed }
        guard opened.count(where: { $0.count == best.count }) == 1 else { throw .decryptionFailed }
        return best
    }

    /// A copy of this cipher for files. Files are never encrypted with the constant initialisation vector.
    fileprivate var forFiles: PubNubCipher {
        usesRandomIV ? self : PubNubCipher(form: form, legacyKey: legacyKey, currentKey: currentKey)
    }

    private init(form: Form, legacyKey: SymmetricKey, currentKey: SymmetricKey) {
        self.form = form
        usesRandomIV = true
        self.legacyKey = legacyKey
        self.currentKey = currentKey
    }
}
