import Crypto
import WireCoding

/// The protocol's signatures: HMAC-SHA256 in lowercase hexadecimal, keyed with the app's secret.
///
/// Pusher documentation, Auth signatures and Webhooks; rules PW-12 and PW-13.
public enum PusherSignature {
    /// The signature of a text: HMAC-SHA256 in lowercase hexadecimal.
    public static func sign(_ text: String, secret: String) -> String {
        sign(Array(text.utf8), secret: secret)
    }

    /// The signature of bytes, such as a webhook's body: HMAC-SHA256 in lowercase hexadecimal.
    public static func sign(_ bytes: [UInt8], secret: String) -> String {
        let key = SymmetricKey(data: Array(secret.utf8))
        return Hex.text(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
    }

    /// The `auth` of a private, presence or encrypted channel: `key:signature`. The letter case of the key is kept.
    ///
    /// - Parameter channelData: for presence channels, the exact JSON text that the client will send.
    public static func channelAuth(
        socketID: String, channel: String, channelData: String? = nil, key: String, secret: String
    ) -> String {
        key + ":" + sign(channelText(socketID: socketID, channel: channel, channelData: channelData), secret: secret)
    }

    /// The `auth` of a user's sign-in: `key:signature`.
    public static func userAuth(socketID: String, userData: String, key: String, secret: String) -> String {
        key + ":" + sign(socketID + "::user::" + userData, secret: secret)
    }

    /// Returns whether `auth` equals the result of ``channelAuth(socketID:channel:channelData:key:secret:)``. Compares in constant time.
    public static func isValid(
        channelAuth auth: String, socketID: String, channel: String, channelData: String? = nil, key: String, secret: String
    ) -> Bool {
        ConstantTime.areEqual(
            auth, channelAuth(socketID: socketID, channel: channel, channelData: channelData, key: key, secret: secret))
    }

    /// Returns whether `auth` equals the result of ``userAuth(socketID:userData:key:secret:)``. Compares in constant time.
    public static func isValid(
        userAuth auth: String, socketID: String, userData: String, key: String, secret: String
    ) -> Bool {
        ConstantTime.areEqual(auth, userAuth(socketID: socketID, userData: userData, key: key, secret: secret))
    }

    /// Whether `signature` is the signature of a webhook's body. Compares in constant time.
    public static func isValid(webhookSignature signature: String, body: [UInt8], secret: String) -> Bool {
        ConstantTime.areEqual(signature, sign(body, secret: secret))
    }

    private static func channelText(socketID: String, channel: String, channelData: String?) -> String {
        var text = socketID + ":" + channel
        if let channelData { text += ":" + channelData }
        return text
    }
}
