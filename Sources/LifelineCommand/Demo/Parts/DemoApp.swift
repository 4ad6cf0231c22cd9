import Lifeline
import PusherProtocol

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The app of the Pusher part: its credentials and channels.
struct DemoApp: Sendable {
    let id = "1001"
    let key = "app-key"
    let secret = "app-secret"
    /// The key of encrypted channels, which the server does not have.
    let masterKey: [UInt8]

    let news = "news"
    let chat = "private-chat"
    let lobby = "presence-lobby"
    let vault = "private-encrypted-vault"

    var channels: [String] { [news, chat, lobby, vault] }

    init() {
        var generator = SystemRandomNumberGenerator()
        masterKey = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    func sharedSecret(of channel: String) -> [UInt8] {
        PusherEncryption.sharedSecret(channel: channel, masterKey: masterKey)
    }

    /// The service for a user. Its closure authorises the channels of the user, as an app's own server would do.
    func service(_ user: String, _ host: ServiceHost) -> Service {
        let access = PusherAccess.custom { request in
            let kind = PusherChannelKind(of: request.channel).access
            let data = kind == .presence ? PusherMember(userID: user).json : nil
            let auth = PusherSignature.channelAuth(
                socketID: request.socketID, channel: request.channel, channelData: data, key: key, secret: secret)
            let shared = kind == .encrypted ? Data(sharedSecret(of: request.channel)).base64EncodedString() : nil
            return PusherAccess.Grant(auth: auth, channelData: data, sharedSecret: shared)
        }
        return .pusher(key: key, host: host, access: access)
    }
}
