import Crypto
import WireCoding

/// The signature of the server API and of webhooks: the SHA-1 of secret, nonce and timestamp, in lowercase hexadecimal (rule NP-21).
public enum ChatServerSignature {
    /// - Parameter timestamp: the header's text, which is a number of milliseconds since 1970.
    public static func sign(secret: String, nonce: String, timestamp: String) -> String {
        var hash = Insecure.SHA1()
        for part in [secret, nonce, timestamp] { hash.update(data: Array(part.utf8)) }
        return Hex.text(hash.finalize())
    }

    /// Whether `signature` equals the result of ``sign(secret:nonce:timestamp:)``. The comparison takes constant time.
    public static func isValid(_ signature: String, secret: String, nonce: String, timestamp: String) -> Bool {
        ConstantTime.areEqual(signature, sign(secret: secret, nonce: nonce, timestamp: timestamp))
    }
}
