import ChatProtocol
import Identifiers
import NIOCore
import ServerRuntime
import ServerValues

/// The nodes (servers) that deliver an application's changes, each with its connected sessions, and the number of changes that are not
/// completed yet.
///
/// A lock of its own guards the value. Nodes queue work for their event loops under this lock, so all devices on all nodes get changes in
/// the same order. While this lock is held, only the locks of the event loops' queues are taken.
struct ChatAudience: Sendable {
    /// The number of changes that are not completed: a change with data is being stored, and a change without data waits for earlier
    /// changes.
    var waiting = 0
    /// Ids of events that the store failed to save. The application's state still has the changes of these events until they are reverted.
    var failed: Set<UInt64> = []
    /// The nodes with their sessions, in the order in which the nodes joined.
    private var parts: [Part] = []

    private struct Part: Sendable {
        let node: any ChatNode
        let eventLoopIDs: EventLoopSet
        var sessions = ChatNodeSessions()
    }

    /// Whether no session is connected to any node.
    var isEmpty: Bool { parts.allSatisfy(\.sessions.isEmpty) }

    /// The devices of a user on all nodes. Devices of one node are in the order in which they signed in.
    func peers(of user: Identifier) -> [ChatSessionPeer] { parts.flatMap { $0.sessions.peers(of: user) } }

    /// All sessions of all nodes.
    var all: [ChatSessionID] { parts.flatMap { $0.sessions.all.map(\.chat) } }

    // MARK: Nodes

    /// Adds a node, unless it has joined already.
    mutating func join(_ node: any ChatNode) {
        guard !parts.contains(where: { $0.node === node }) else { return }
        parts.append(Part(node: node, eventLoopIDs: node.eventLoopIDs))
    }

    mutating func leave(_ node: any ChatNode) {
        parts.removeAll { $0.node === node }
    }

    func peers(on node: any ChatNode) -> [ChatSessionPeer] {
        parts.first { $0.node === node }?.sessions.all ?? []
    }

    private func part(of session: ChatSessionID) -> Int? {
        parts.firstIndex { $0.eventLoopIDs.contains(session.eventLoopID) }
    }

    /// The node of a session; nil when the node has left.
    func node(of session: ChatSessionID) -> (any ChatNode)? { part(of: session).map { parts[$0].node } }

    // MARK: Sessions

    mutating func insert(_ peer: ChatSessionPeer) {
        guard let part = part(of: peer.chat) else { return }
        parts[part].sessions.insert(peer)
    }

    /// Removes a session from its node and from the open channels that it has entered. Returns whether it existed.
    @discardableResult
    mutating func remove(_ peer: ChatSessionPeer) -> Bool {
        guard let part = part(of: peer.chat) else { return false }
        return parts[part].sessions.remove(peer)
    }

    // MARK: Changes

    /// The sessions of the first node. The leader of a cluster has a single node, which stands for all servers, so these are all sessions.
    var only: ChatNodeSessions { parts.first?.sessions ?? ChatNodeSessions() }

    func peer(_ session: ChatSessionID) -> ChatSessionPeer? { part(of: session).flatMap { parts[$0].sessions.peer(session.id) } }

    /// Makes every node deliver a change, whose data are stored, to the node's sessions.
    mutating func apply(_ changes: [ChatDelivery], of application: Int) {
        guard !changes.isEmpty else { return }
        for index in parts.indices { parts[index].node.apply(changes, of: application, to: &parts[index].sessions) }
    }
}

/// Identifies an open channel in a backend, where channels of different applications may have the same id.
struct ChatRoomID: Hashable, Sendable {
    let application: Int
    let channel: Identifier

    init(_ application: Int, _ channel: Identifier) {
        self.application = application
        self.channel = channel
    }
}

/// An inbox event for the devices on one event loop. The devices share the encoded body; only their positions differ.
final class ChatPush: Sendable {
    struct Target: Sendable {
        let connection: NIOLoopBound<ChatConnection>
        let sequence: UInt64
        /// Whether the device already has the event from the answer to its own request.
        let knows: Bool
    }

    let body: ByteBuffer
    let targets: [Target]

    init(body: ByteBuffer, targets: [Target]) {
        self.body = body
        self.targets = targets
    }
}
