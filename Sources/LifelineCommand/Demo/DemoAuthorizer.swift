import PusherProtocol
import PusherSwift

/// Authorises channels as an app's own server would, with the development app's secret.
final class DemoAuthorizer: Authorizer, Sendable {
    private let user: String
    private let app: DemoApp

    init(user: String, app: DemoApp) {
        self.user = user
        self.app = app
    }

    func fetchAuthValue(
        socketID: String, channelName: String, completionHandler: @escaping @Sendable (PusherAuth?) -> Void
    ) {
        let access = PusherChannelKind(of: channelName).access
        let data = access == .presence ? PusherMember(userID: user).json : nil
        let auth = PusherSignature.channelAuth(
            socketID: socketID, channel: channelName, channelData: data, key: app.key, secret: app.secret)
        let secret = access == .encrypted ? Data(app.sharedSecret(of: channelName)).base64EncodedString() : nil
        switch (data, secret) {
        case (let data?, _): completionHandler(PusherAuth(auth: auth, channelData: data))
        case (_, let secret?): completionHandler(PusherAuth(auth: auth, sharedSecret: secret))
        default: completionHandler(PusherAuth(auth: auth))
        }
    }
}

/// The app of the demonstration: its credentials and channels.
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
}
