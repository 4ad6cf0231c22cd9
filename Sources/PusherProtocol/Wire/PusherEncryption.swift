import Crypto
import WireCoding

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The encryption of events on encrypted channels. Pusher documentation, Encrypted channels; rules PE-3 to PE-5.
public enum PusherEncryption {
    /// The key of one channel: SHA-256 of the channel's name followed by the app's master key of 32 bytes.
    public static func sharedSecret(channel: String, masterKey: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: Array(channel.utf8))
        hash.update(data: masterKey)
        return Array(hash.finalize())
    }

    /// Encrypts the data of an event. The result is the object `{"nonce":…,"ciphertext":…}`.
    ///
    /// - Parameter nonce: 24 bytes that were never used with this key; see ``randomNonce(using:)``.
    public static func encrypt(
        _ text: String, sharedSecret: [UInt8], nonce: [UInt8]
    ) throws(SecretBoxError) -> String {
        let box = try SecretBox.seal(Array(text.utf8), nonce: nonce, key: sharedSecret)
        return "{\"nonce\":\"\(Data(nonce).base64EncodedString())\",\"ciphertext\":\"\(Data(box).base64EncodedString())\"}"
    }

    /// Decrypts the data of an encrypted event.
    ///
    /// - Parameter sharedSecret: the channel's key; nil is treated as a wrong key.
    public static func decrypt(
        _ data: String, sharedSecret: [UInt8]?
    ) throws(PusherDecryptionError) -> String {
        guard let payload = try? JSONText(data), let nonce = payload["nonce"]?.string.flatMap(bytes(base64:)),
            nonce.count == SecretBox.nonceSize, let box = payload["ciphertext"]?.string.flatMap(bytes(base64:))
        else { throw .malformedPayload }
        guard let sharedSecret, let bytes = try? SecretBox.open(box, nonce: nonce, key: sharedSecret) else {
            throw .wrongKey
        }
        let isText = bytes.withUnsafeBytes { JSONBytes.firstInvalidUTF8($0) } == nil
        guard isText else { throw .wrongKey }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes a key from base64. Nil when the text is not the base64 of 32 bytes.
    public static func key(base64 text: String) -> [UInt8]? {
        guard let bytes = bytes(base64: text), bytes.count == SecretBox.keySize else { return nil }
        return bytes
    }

    /// Decodes base64; nil when the text is not base64.
    private static func bytes(base64 text: String) -> [UInt8]? {
        Data(base64Encoded: text).map { Array($0) }
    }

    /// A new random nonce of 24 bytes.
    ///
    /// - Parameter generator: a cryptographic random generator.
    public static func randomNonce(using generator: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<SecretBox.nonceSize).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// The reason why an encrypted event could not be decrypted.
public enum PusherDecryptionError: Error, Hashable, Sendable {
    /// The data is not the object of an encrypted event. A request for a newer key would not help.
    case malformedPayload
    /// The key is missing or wrong, or the event was changed in transit. A newer key may help.
    case wrongKey
}
