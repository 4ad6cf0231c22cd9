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
    /// For presence channels, the JSON text that was signed; otherwise nil.
    public let channelData: String?
    /// For encrypted channels, the channel's key in base64; otherwise nil.
    public let sharedSecret: String?

    /// Creates an authorisation from the values in your server's answer.
    public init(auth: String, channelData: String? = nil, sharedSecret: String? = nil) {
        self.auth = auth
        self.channelData = channelData
        self.sharedSecret = sharedSecret
    }
}
