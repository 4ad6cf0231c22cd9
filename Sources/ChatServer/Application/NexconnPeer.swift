import Identifiers
import NIOCore
import NexconnProtocol
import RealtimeHub
import ServerRuntime

/// A signed-in device as the rest of the server knows it: whose it is, and the way to its connection.
package final class NexconnPeer: Sendable {
    /// Names the session in logs, webhooks and its own welcome. Random.
    let session: String
    let user: Identifier
    let device: NexconnDevice
    /// Address and port of the client.
    let address: String
    /// How the state names the session.
    let chat: ChatSession
    /// Nil for a session whose connection belongs to another process.
    let line: NexconnLine?

    init(
        session: String, user: Identifier, device: NexconnDevice, address: String, chat: ChatSession, line: NexconnLine?
    ) {
        self.session = session
        self.user = user
        self.device = device
        self.address = address
        self.chat = chat
        self.line = line
    }
}

extension NexconnPeer: Hashable {
    package static func == (left: NexconnPeer, right: NexconnPeer) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// The origin of a request: a session, or the server API.
enum NexconnCaller: Sendable {
    case session(NexconnPeer)
    /// The application's own server, in the name of a user.
    case server(user: Identifier)
    /// Another service over the bridge, in the name of somebody who may be no user here.
    case bridge(service: String, user: Identifier)

    var user: Identifier {
        switch self {
        case .session(let peer): peer.user
        case .server(let user), .bridge(_, let user): user
        }
    }

    /// As the state wants it.
    var actor: ChatActor {
        switch self {
        case .session(let peer): .user(peer.user)
        case .server(let user), .bridge(_, let user): .server(as: user)
        }
    }

    /// Whether a message is one that the caller may know of: a message to some members of a group is for these, its sender and the
    /// application's server (rule CH-33).
    func maySee(_ event: ChatEvent) -> Bool { peer == nil || event.isVisible(to: user) }

    var peer: NexconnPeer? {
        guard case .session(let peer) = self else { return nil }
        return peer
    }
}

/// Brings the answer to a request. Called once, from any thread, without a lock held.
typealias NexconnAnswering = @Sendable (Result<NexconnResult, NexconnRefusal>) -> Void
