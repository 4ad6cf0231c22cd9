import ChatProtocol
import Identifiers
import NIOCore
import ServerRuntime
import ServerStorage

/// A signed-in device: its user, and access to its connection.
package final class ChatSessionPeer: Sendable {
    /// The random name that identifies the session in logs, in webhooks and in its own welcome.
    let session: String
    let user: Identifier
    let device: ChatDevice
    /// The address and port of the client.
    let address: String
    /// The id by which the application's state and the nodes identify the session.
    let chat: ChatSessionID
    /// The session's connection; nil when another server of the cluster has the connection.
    let line: ChatLine?

    init(
        session: String, user: Identifier, device: ChatDevice, address: String, chat: ChatSessionID, line: ChatLine?
    ) {
        self.session = session
        self.user = user
        self.device = device
        self.address = address
        self.chat = chat
        self.line = line
    }
}

extension ChatSessionPeer: Hashable {
    package static func == (left: ChatSessionPeer, right: ChatSessionPeer) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// The author of a request: a session, the application's own server, or another service whose message the bridge passes to chat.
enum ChatCaller: Sendable {
    case session(ChatSessionPeer)
    /// The application's own server, which acts on behalf of a user.
    case server(user: Identifier)
    /// Another service whose message the bridge passes to chat. It acts on behalf of a user who may not exist in chat.
    case bridge(service: String, user: Identifier)

    var user: Identifier {
        switch self {
        case .session(let peer): peer.user
        case .server(let user), .bridge(_, let user): user
        }
    }

    /// The caller's user and rights, as ``ChatState`` expects them.
    var actor: ChatActor {
        switch self {
        case .session(let peer): .user(peer.user)
        case .server(let user), .bridge(_, let user): .server(as: user)
        }
    }

    /// Whether the caller may see a message. A message for some members of a group is visible to them, to its sender and to the
    /// application's server (rule CH-33).
    func maySee(_ event: ChatEvent) -> Bool { peer == nil || event.isVisible(to: user) }

    var peer: ChatSessionPeer? {
        guard case .session(let peer) = self else { return nil }
        return peer
    }
}

/// Receives the answer to a request. Called once, on any thread, without a lock held.
typealias ChatAnswering = @Sendable (Result<ChatResult, ChatRequestRefusal>) -> Void
