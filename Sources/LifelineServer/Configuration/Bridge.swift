import Identifiers
import RealtimeHub

/// Which applications of the three services share their public channels: what is said in an open channel of the chat application
/// is also published to the Pusher channel and the PubNub channel of the same name, and the other way round (rules BR-1 to BR-14).
///
/// The server publishes on its own account: it asks neither PubNub's access manager nor chat's lists of the muted. So bridge what
/// everybody may read.
public struct Bridge: Hashable, Sendable {
    /// The id of the Pusher application; nil leaves Pusher out.
    public var applicationID: String?
    /// The subscribe key of the PubNub keyset; nil leaves PubNub out.
    public var subscribeKey: String?
    /// The key of the chat application; nil leaves chat out.
    public var chatKey: String?
    /// What text messages of chat (`RC:TxtMsg`) are called elsewhere. Other types keep their names.
    public var textEvent: String
    /// Whether the bridge may have a keyset that requires grants. The access manager guards PubNub's own API only: with the bridge,
    /// everybody who may use the other services reads and writes the keyset's public channels without a grant. Unless this is true, a
    /// server refuses to start with such a bridge (rule BR-20).
    public var ignoresAccessManager: Bool

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
    /// Refuses keysets that the bridge would open although they require grants (rule BR-20).
    func check(_ keysets: [Keyset]) throws {
        guard !ignoresAccessManager, let subscribeKey,
            keysets.contains(where: { $0.requiresGrants && $0.subscribeKey.isExactly(subscribeKey) })
        else { return }
        throw ServerError.unguardedBridge(subscribeKey: subscribeKey)
    }
}
