import Dispatch
import Foundation
import NIOConcurrencyHelpers
import PusherProtocol
import PusherSwift

/// One PusherSwift client of the demo. Everything that it hears goes to `tell`, on its own queue.
final class DemoClient: PusherDelegate, Sendable {
    enum News: Sendable {
        case status(PusherConnectionStatus)
        case subscribed(String)
        case refused(String, String)
        case message(channel: String, event: String, data: String)
        case member(channel: String, user: String, joined: Bool)
        case error(String)
    }

    let name: String
    let pusher: Pusher
    private let tell: @Sendable (DemoClient, News) -> Void

    init(name: String, port: Int, signer: DemoSigner, tell: @escaping @Sendable (DemoClient, News) -> Void) {
        self.name = name
        self.tell = tell
        let options = PusherClientOptions(
            authMethod: .authorizer(authorizer: signer), host: .host("127.0.0.1"), port: port, useTLS: false)
        options.callbackQueue = DispatchQueue(label: "demo.\(name)")
        options.timing = .fast
        pusher = Pusher(key: DemoSigner.key, options: options)
        pusher.connection.delegate = self
        pusher.connection.onStatusChange = { [weak self] status in
            if let self { tell(self, .status(status)) }
        }
        pusher.bind { [weak self] (event: PusherEvent) in
            guard let self, let channel = event.channelName, !event.eventName.hasPrefix("pusher") else { return }
            tell(self, .message(channel: channel, event: event.eventName, data: event.data ?? ""))
        }
    }

    func subscribe(_ channel: String) {
        guard channel.hasPrefix("presence-") else {
            _ = pusher.subscribe(channel)
            return
        }
        let change = { @Sendable [weak self] (member: PusherPresenceChannelMember, joined: Bool) in
            guard let self else { return }
            self.tell(self, .member(channel: channel, user: member.userId, joined: joined))
        }
        _ = pusher.subscribeToPresenceChannel(
            channelName: channel, onMemberAdded: { change($0, true) }, onMemberRemoved: { change($0, false) })
    }

    func subscribedToChannel(name channel: String) { tell(self, .subscribed(channel)) }

    func failedToSubscribeToChannel(name channel: String, response: URLResponse?, data: String?, error: NSError?) {
        tell(self, .refused(channel, error?.localizedFailureReason ?? data ?? "refused"))
    }

    func receivedError(error: PusherError) { tell(self, .error(error.message)) }

    func failedToDecryptEvent(eventName: String, channelName: String, data: String?) {
        tell(self, .error("\(eventName) on \(channelName) could not be decrypted."))
    }
}

/// Signs for the demo's clients, as an app's backend would.
final class DemoSigner: Authorizer, Sendable {
    static let key = "app-key"
    private static let secret = "app-secret"

    let user: String
    let masterKey: [UInt8]

    init(user: String, masterKey: [UInt8]) {
        self.user = user
        self.masterKey = masterKey
    }

    func fetchAuthValue(socketID: String, channelName: String, completionHandler: @escaping (PusherAuth?) -> Void) {
        let data = channelName.hasPrefix("presence-") ? "{\"user_id\":\"\(user)\"}" : nil
        let auth = PusherSignature.channelAuth(
            socketID: socketID, channel: channelName, channelData: data, key: Self.key, secret: Self.secret)
        let isEncrypted = channelName.hasPrefix("private-encrypted-")
        let secret = PusherEncryption.sharedSecret(channel: channelName, masterKey: masterKey)
        completionHandler(
            PusherAuth(auth: auth, channelData: data, sharedSecret: isEncrypted ? Data(secret).base64EncodedString() : nil))
    }
}
