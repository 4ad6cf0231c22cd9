import Identifiers
import NIOCore
import NexconnProtocol
import RealtimeHub
import ServerRuntime

/// The nodes that apply an application's changes, each with the sessions that it has, and what waits for its turn.
///
/// Guarded by a lock of its own, under which nodes queue work for their event loops, so that every device sees one order, whichever
/// node it is on. Nothing else is locked while it is held but the loops' queues.
struct NexconnAudience: Sendable {
    /// Commits in progress, and changes that only wait for their turn after them.
    var waiting = 0
    /// Events that the store failed to keep and the state has not forgotten yet.
    var failed: Set<UInt64> = []
    /// In the order in which they joined.
    private var parts: [Part] = []

    private struct Part: Sendable {
        let node: any ChatNode
        let eventLoopIDs: EventLoopSet
        var sessions = NexconnNodeSessions()
    }

    /// Whether no session is connected to any node.
    var isEmpty: Bool { parts.allSatisfy(\.sessions.isEmpty) }

    /// The devices of a user, oldest first on each node.
    func peers(of user: Identifier) -> [NexconnPeer] { parts.flatMap { $0.sessions.peers(of: user) } }

    /// Every session of every node.
    var all: [ChatSession] { parts.flatMap { $0.sessions.all.map(\.chat) } }

    // MARK: Nodes

    /// A node that has joined already is not added again.
    mutating func join(_ node: any ChatNode) {
        guard !parts.contains(where: { $0.node === node }) else { return }
        parts.append(Part(node: node, eventLoopIDs: node.eventLoopIDs))
    }

    mutating func leave(_ node: any ChatNode) {
        parts.removeAll { $0.node === node }
    }

    func peers(on node: any ChatNode) -> [NexconnPeer] {
        parts.first { $0.node === node }?.sessions.all ?? []
    }

    private func part(of session: ChatSession) -> Int? {
        parts.firstIndex { $0.eventLoopIDs.contains(session.eventLoopID) }
    }

    /// The node that has a session; nil when it takes part no longer.
    func node(of session: ChatSession) -> (any ChatNode)? { part(of: session).map { parts[$0].node } }

    // MARK: Sessions

    mutating func insert(_ peer: NexconnPeer) {
        guard let part = part(of: peer.chat) else { return }
        parts[part].sessions.insert(peer)
    }

    /// Removes a session everywhere. Returns whether it was there.
    @discardableResult
    mutating func remove(_ peer: NexconnPeer) -> Bool {
        guard let part = part(of: peer.chat) else { return false }
        return parts[part].sessions.remove(peer)
    }

    // MARK: Changes

    /// The sessions of all nodes, where there is one node for all.
    var only: NexconnNodeSessions { parts.first?.sessions ?? NexconnNodeSessions() }

    func peer(_ session: ChatSession) -> NexconnPeer? { part(of: session).flatMap { parts[$0].sessions.peer(session.id) } }

    /// Has every node deliver the decided changes to its sessions.
    mutating func apply(_ changes: [NexconnDelivery], of application: Int) {
        guard !changes.isEmpty else { return }
        for index in parts.indices { parts[index].node.apply(changes, of: application, to: &parts[index].sessions) }
    }
}

/// An open channel of one of the backend's applications.
struct NexconnRoomID: Hashable, Sendable {
    let application: Int
    let channel: Identifier

    init(_ application: Int, _ channel: Identifier) {
        self.application = application
        self.channel = channel
    }
}

/// An event of inboxes for the devices on one event loop. The body is shared by all; only the places differ.
final class NexconnPush: Sendable {
    struct Target: Sendable {
        let connection: NIOLoopBound<NexconnConnection>
        let sequence: UInt64
        /// Whether the device already knows the change, because its own request caused it.
        let knows: Bool
    }

    let body: ByteBuffer
    let targets: [Target]

    init(body: ByteBuffer, targets: [Target]) {
        self.body = body
        self.targets = targets
    }
}
