import Foundation

/// The authorisation of one channel for one connection.
///
/// Immutable, hence safe to share between threads.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public class PusherAuth: NSObject, @unchecked Sendable {
    /// `key:signature`.
    public let auth: String
    /// For presence channels: the JSON text that was signed.
    public let channelData: String?
    /// For encrypted channels: the channel's key, in base64.
    public let sharedSecret: String?

    /// An authorisation with the values of your server's answer.
    public init(auth: String, channelData: String? = nil, sharedSecret: String? = nil) {
        self.auth = auth
        self.channelData = channelData
        self.sharedSecret = sharedSecret
    }
}
