import ConnectionEngine
import EngineRuntime

/// The service's end of a WebSocket between a client and a test service.
struct TestSocket: Sendable {
    /// An event of the socket that the client receives.
    enum Event: Sendable {
        case opened
        case text([UInt8])
        case pong([UInt8])
        case closed(ConnectionFailure)
    }

    /// The protocol that the client uses, with what the service stores about the client.
    enum Peer: Sendable {
        case pusher(PusherPeer)
        case chat(ChatPeer)
    }

    let id: UInt64
    let report: @Sendable (Event) -> Void
    var peer: Peer
    var isOpen = false
    /// Whether all data on the socket is lost, in both directions, as on a half-open connection.
    var isSilent = false
}

extension ServiceState {
    /// Called when a client connects. The path of the endpoint determines the client's protocol.
    mutating func dialled(_ id: UInt64, to endpoint: WebSocketEndpoint, report: @escaping @Sendable (TestSocket.Event) -> Void) {
        let isChat = endpoint.target.contains("/nexconn/")
        sockets[id] = TestSocket(
            id: id, report: report, peer: isChat ? .chat(ChatPeer()) : .pusher(PusherPeer(socketID: "1.\(id)")))
        open(id)
    }

    /// Opens or refuses a connecting socket, or lets it wait, according to ``mode``.
    mutating func open(_ id: UInt64) {
        guard let socket = sockets[id], !socket.isOpen else { return }
        if isNetworkLost { return close(id, .noRoute) }
        switch mode {
        case .holding, .silent: return
        case .refusing(let refusal): refuse(id, refusal)
        case .accepting:
            sockets[id]?.isOpen = true
            tell(id, .opened)
            if case .pusher = socket.peer { greetPusher(id) }
        }
    }

    private mutating func refuse(_ id: UInt64, _ refusal: Refusal) {
        switch refusal {
        case .unreachable: close(id, .unreachable)
        case .overloaded(let retryAfter): close(id, .overloaded(retryAfter))
        case .unknownKey, .invalidToken:
            guard case .chat = sockets[id]?.peer else {
                sockets[id]?.isOpen = true
                tell(id, .opened)
                return refusePusher(id, refusal)
            }
            // A chat client sends its key and its token only after the socket is open. The socket is therefore opened first, and the
            // service refuses the client when key and token arrive.
            sockets[id]?.isOpen = true
            tell(id, .opened)
        }
    }

    /// Queues an event for the client of a socket.
    mutating func tell(_ id: UInt64, _ event: TestSocket.Event) {
        guard let socket = sockets[id], !socket.isSilent else { return }
        outbox.append { socket.report(event) }
    }

    mutating func tell(_ id: UInt64, _ frame: [UInt8]) { tell(id, .text(frame)) }

    /// Removes a socket, and reports the failure to its client.
    mutating func close(_ id: UInt64, _ failure: ConnectionFailure) {
        tell(id, .closed(failure))
        forget(id)
    }

    /// Removes a socket whose client has disconnected or counts as disconnected.
    mutating func forget(_ id: UInt64) {
        guard let socket = sockets.removeValue(forKey: id) else { return }
        switch socket.peer {
        case .pusher(let peer): leftPusher(peer)
        // A chat user stays in open channels after a disconnect, until a client leaves them.
        case .chat: return
        }
    }

    /// Handles a frame that a client has sent.
    mutating func received(_ id: UInt64, _ outbound: WebSocketOutbound) {
        guard let socket = sockets[id], socket.isOpen, !socket.isSilent, !isNetworkLost, !isCutOff else { return }
        switch outbound {
        case .ping(let payload):
            if !isWithholding(id) { tell(id, .pong(payload)) }
        case .text(let text):
            switch socket.peer {
            case .pusher: receivedPusher(id, text)
            case .chat: receivedChat(id, Array(text.utf8))
            }
        case .binary: return
        }
    }

    /// Whether all data is lost, because of ``TestService/goSilent()``.
    private var isCutOff: Bool { if case .silent = mode { true } else { false } }

    /// Whether pings of this socket stay unanswered, so that the outcome of an earlier client event stays unknown.
    private func isWithholding(_ id: UInt64) -> Bool {
        if case .pusher(let peer) = sockets[id]?.peer { peer.withholdsPongs } else { false }
    }
}
