/// Why something could not be encrypted or decrypted. Says nothing about keys or contents.
public enum PubNubCipherError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is nothing to encrypt or decrypt.
    case empty
    /// The payload is neither a string nor an object with a string in `pn_other`: it was sent without encryption.
    case notEncrypted
    case notBase64
    /// The header ends early or announces something impossible.
    case malformedHeader
    /// Encrypted by a method or in a version that is not known here.
    case unknownCryptor
    /// The key is another one, or the message was changed. Deliberately one case for everything that can fail from here on: if wrong
    /// padding could be distinguished from wrong contents, messages could be decrypted by trial (rule PC-7).
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
