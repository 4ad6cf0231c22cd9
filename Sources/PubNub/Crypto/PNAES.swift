import Foundation
import PubNubProtocol

/// The domain of the errors that ``PNAES`` reports.
public let kPNAESErrorDomain: String! = "PNAESErrorDomain"
/// The error code of an empty input.
public var kPNAESEmptyObjectError: Int { 5000 }
/// The error code of an empty cipher key.
public var kPNAESConfigurationError: Int { 5001 }
/// The error code for a lack of memory. This library never reports it.
public var kPNAESInsufficientMemoryError: Int { 5002 }
/// The error code of a failed encryption.
public var kPNAESEncryptionError: Int { 5003 }
/// The error code of a failed decryption: the key is wrong, or the data was not encrypted with it.
public var kPNAESDecryptionError: Int { 5004 }

/// Encrypts and decrypts data with a cipher key, without a client (rules PC-1 to PC-12).
///
/// All methods may be called from any thread.
open class PNAES {
    /// Encrypts data with the constant initialisation vector, like the Cocoa SDK's method of this name.
    ///
    /// - Returns: base64, or nil when the data or the key is empty.
    open class func encrypt(_ data: Data, withKey key: String) -> String? {
        encrypt(data, withRandomIV: false, cipherKey: key)
    }

    /// Decrypts base64 that was encrypted with the constant initialisation vector, or that begins with the header of PubNub's crypto
    /// module.
    ///
    /// - Returns: nil when the data cannot be decrypted.
    open class func decrypt(_ object: String, withKey key: String) -> Data? {
        decrypt(object, withRandomIV: false, cipherKey: key)
    }

    /// Encrypts data with a cipher key.
    ///
    /// - Parameters:
    ///   - data: the data to encrypt.
    ///   - useRandomIV: whether the result begins with a random initialisation vector, like messages of clients with
    ///     `shouldUseRandomInitializationVector`.
    ///   - key: the cipher key.
    /// - Returns: base64, or nil when the data or the key is empty.
    open class func encrypt(_ data: Data, withRandomIV useRandomIV: Bool, cipherKey key: String) -> String? {
        guard !key.isEmpty else { return nil }
        let cipher = PubNubCipher(key: key, usesRandomIV: useRandomIV)
        return (try? cipher.encrypt(Array(data))).map { Data($0).base64EncodedString() }
    }

    /// Decrypts base64 with a cipher key.
    ///
    /// - Returns: nil when the data cannot be decrypted.
    open class func decrypt(_ object: String, withRandomIV useRandomIV: Bool, cipherKey key: String) -> Data? {
        guard !key.isEmpty, let data = Data(base64Encoded: object) else { return nil }
        return (try? PubNubCipher(key: key, usesRandomIV: useRandomIV).decrypt(Array(data))).map { Data($0) }
    }

    /// Encrypts a file of any size in pieces.
    ///
    /// - Parameters:
    ///   - fileURL: the file.
    ///   - encryptedFileURL: the destination; nil for a new file in the directory for temporary files. The file appears when it is
    ///     complete.
    ///   - key: the cipher key.
    ///   - block: called on a background queue, with the encrypted file's URL or with an error.
    open class func encryptFile(
        at fileURL: URL, to encryptedFileURL: URL?, withCipherKey key: String,
        completion block: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) {
        DispatchQueue.global().async {
            do {
                block(try CipherFile.encrypt(fileURL, to: encryptedFileURL, key: key), nil)
            } catch {
                block(nil, error)
            }
        }
    }

    /// Encrypts a file of any size in pieces, and returns the encrypted file.
    ///
    /// - Throws: an error of the file system, or an `NSError` with a code such as ``kPNAESEncryptionError``.
    open class func encryptFile(at fileURL: URL, to encryptedFileURL: URL?, withCipherKey key: String) async throws -> URL {
        try await CipherFile.onQueue { try CipherFile.encrypt(fileURL, to: encryptedFileURL, key: key) }
    }

    /// Decrypts a file of any size in pieces.
    ///
    /// - Parameters:
    ///   - fileURL: the file.
    ///   - decryptedFileURL: the destination; nil for a new file in the directory for temporary files. The file appears when it is
    ///     complete.
    ///   - key: the cipher key.
    ///   - block: called on a background queue, with the decrypted file's URL; or with the encrypted file's URL and an error.
    open class func decryptFile(
        at fileURL: URL, to decryptedFileURL: URL?, withCipherKey key: String,
        completion block: @escaping @Sendable (URL, (any Error)?) -> Void
    ) {
        DispatchQueue.global().async {
            do {
                block(try CipherFile.decrypt(fileURL, to: decryptedFileURL, key: key), nil)
            } catch {
                block(fileURL, error)
            }
        }
    }

    /// Decrypts a file of any size in pieces, and returns the decrypted file.
    ///
    /// - Throws: an error of the file system, or an `NSError` with a code such as ``kPNAESDecryptionError``.
    open class func decryptFile(at fileURL: URL, to decryptedFileURL: URL?, withCipherKey key: String) async throws -> URL {
        try await CipherFile.onQueue { try CipherFile.decrypt(fileURL, to: decryptedFileURL, key: key) }
    }
}
