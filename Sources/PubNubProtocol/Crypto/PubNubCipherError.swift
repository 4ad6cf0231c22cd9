/// Why data could not be encrypted or decrypted. Contains no keys and no contents.
public enum PubNubCipherError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is nothing to encrypt or decrypt.
    case empty
    /// The payload is neither a string nor an object with a string in `pn_other`: it was sent without encryption.
    case notEncrypted
    case notBase64
    /// The header is truncated or has impossible values.
    case malformedHeader
    /// The data was encrypted by an unknown method or in an unknown version.
    case unknownCryptor
    /// The key is wrong, or the message was changed. Deliberately one case for all further failures: if wrong padding could be
    /// distinguished from wrong contents, an attacker could decrypt messages by trial (rule PC-7).
    case decryptionFailed
    case encryptionFailed

    public var description: String {
        switch self {
        case .empty: "There is nothing to encrypt or decrypt."
        case .notEncrypted: "The message is not encrypted."
        case .notBase64: "The message is not base64."
        case .malformedHeader: "The header of the encrypted data is malformed."
        case .unknownCryptor: "The data was encrypted in a way that is not known here."
        case .decryptionFailed: "The data could not be decrypted."
        case .encryptionFailed: "The data could not be encrypted."
        }
    }
}
