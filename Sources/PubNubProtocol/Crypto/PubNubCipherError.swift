/// The reason why data could not be encrypted or decrypted. Contains no keys and no contents.
public enum PubNubCipherError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The data to encrypt or decrypt is empty.
    case empty
    /// The payload is neither a string nor an object with a string in `pn_other`. This means that it was sent without encryption.
    case notEncrypted
    case notBase64
    /// The header before the ciphertext is truncated or has impossible values.
    case malformedHeader
    /// The data was encrypted by an unknown method or in an unknown version.
    case unknownCryptor
    /// The key is wrong, or the message was changed. All other failures are reported as this one case on purpose. If an attacker could
    /// distinguish wrong padding from wrong contents, the attacker could decrypt messages by trial (rule PC-7).
    case decryptionFailed
    case encryptionFailed

    public var description: String {
        switch self {
        case .empty: "The data to encrypt or decrypt is empty."
        case .notEncrypted:
            "The message to decrypt was published without encryption. Set the cipher key in its publisher as well."
        case .notBase64: "The message is not valid base64, so it was damaged or published without encryption."
        case .malformedHeader: "The header of the encrypted data is incomplete or invalid, so the data is damaged."
        case .unknownCryptor: "The data was encrypted with a method that this library does not support."
        case .decryptionFailed: "The data could not be decrypted. Check the cipher key."
        case .encryptionFailed: "The data could not be encrypted, because the AES implementation failed. Repeat the call."
        }
    }
}
