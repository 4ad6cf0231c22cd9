import Identifiers
import ServerStorage

/// The applications of the three services that share their public channels. A message in an open channel of the chat application is
/// also published to the Pusher channel and the PubNub channel of the same name, and vice versa (rules BR-1 to BR-14).
///
/// PubNub's access manager and chat's mutes do not apply to bridged messages. So bridge only channels that everybody may read.
public struct Bridge: Hashable, Sendable {
    /// The id of the Pusher application; nil to exclude Pusher.
    public var applicationID: String?
    /// The subscribe key of the PubNub keyset; nil to exclude PubNub.
    public var subscribeKey: String?
    /// The key of the chat application; nil to exclude chat.
    public var chatKey: String?
    /// The event name of chat's text messages (`RC:TxtMsg`) in the other services. Other types keep their names.
    public var textEvent: String
    /// Whether the bridge may include a keyset that requires grants. The access manager protects PubNub's own API only: with the bridge,
    /// every user of the other services can read and write the keyset's public channels without a grant. Unless this is true, a server
    /// with such a bridge does not start (rule BR-20).
    public var ignoresAccessManager: Bool

    /// Makes a bridge, by default between the development applications of all three services.
    public init(
        applicationID: String? = Application.development.id, subscribeKey: String? = Keyset.development.subscribeKey,
        chatKey: String? = ChatApplication.development.key, textEvent: String = "message", ignoresAccessManager: Bool = false
    ) {
        self.applicationID = applicationID
        self.subscribeKey = subscribeKey
        self.chatKey = chatKey
        self.textEvent = textEvent
        self.ignoresAccessManager = ignoresAccessManager
    }
}

extension Bridge {
    /// Throws for keysets that require grants, unless the bridge ignores the access manager (rule BR-20).
    func check(_ keysets: [Keyset]) throws {
        guard !ignoresAccessManager, let subscribeKey,
            keysets.contains(where: { $0.requiresGrants && $0.subscribeKey.isExactly(subscribeKey) })
        else { return }
        throw ServerError.unguardedBridge(subscribeKey: subscribeKey)
    }
}
