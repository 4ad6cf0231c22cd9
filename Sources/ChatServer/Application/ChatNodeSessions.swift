import ChatProtocol
import Identifiers
import NIOCore
import ServerRuntime

/// The connected sessions of one application on one node (server), with their event loops. Converts changes to operations of these event
/// loops.
///
/// Used only by its node, under the application's lock.
package struct ChatNodeSessions: Sendable {
    private var sessions: [UInt64: ChatSessionPeer] = [:]
    private var users: [Identifier: [ChatSessionPeer]] = [:]
    private var rooms: [Identifier: Room] = [:]
    /// The open channels of each session; sessions without any are not included.
    private var seats: [UInt64: Set<Identifier>] = [:]

    /// The number of an open channel's devices on each event loop of the node, by the number of the event loop.
    private struct Room {
        var counts: [Int: Int] = [:]
    }

    var isEmpty: Bool { sessions.isEmpty }

    /// The devices of a user, in the order of their sign-ins.
    func peers(of user: Identifier) -> [ChatSessionPeer] { users[user] ?? [] }

    var all: [ChatSessionPeer] { Array(sessions.values) }

    /// The session with an id.
    func peer(_ id: UInt64) -> ChatSessionPeer? { sessions[id] }

    mutating func insert(_ peer: ChatSessionPeer) {
        sessions[peer.chat.id] = peer
        users[peer.user, default: []].append(peer)
    }

    /// Removes a session and its open channels. Returns whether the session existed.
    mutating func remove(_ peer: ChatSessionPeer) -> Bool {
        guard sessions.removeValue(forKey: peer.chat.id) != nil else { return false }
        users[peer.user]?.removeAll { $0 === peer }
        if users[peer.user]?.isEmpty == true { users[peer.user] = nil }
        for room in seats.removeValue(forKey: peer.chat.id) ?? [] { leave(room, peer.line) }
        return true
    }

    private mutating func leave(_ room: Identifier, _ line: ChatLine?) {
        guard let loop = line?.mailbox.queue.number else { return }
        rooms[room]?.counts[loop, default: 1] -= 1
        if rooms[room]?.counts[loop] == 0 { rooms[room]?.counts[loop] = nil }
        if rooms[room]?.counts.isEmpty == true { rooms[room] = nil }
    }

    /// Queues the effects of a change on the event loops that it concerns. Sessions and users of other nodes are skipped.
    mutating func apply(_ change: ChatDelivery, of application: Int, mailboxes: [EventLoopMailbox<ChatLoop>]) {
        switch change {
        case .inbox(let body, let places, let except):
            var byLoop: [Int: [ChatPush.Target]] = [:]
            for place in places {
                for peer in users[place.user] ?? [] {
                    guard let line = peer.line else { continue }
                    byLoop[line.mailbox.queue.number, default: []].append(
                        ChatPush.Target(
                            connection: line.connection, sequence: place.sequence, knows: peer.chat.id == except?.id))
                }
            }
            for (loop, targets) in byLoop {
                mailboxes[loop].enqueue(.push(ChatPush(body: body, targets: targets)))
            }
        case .users(let frame, let names, let except):
            tell(names.flatMap { users[$0] ?? [] }.filter { $0.chat.id != except?.id }, frame, through: mailboxes)
        case .sessions(let frame, let chosen):
            tell(chosen.compactMap { sessions[$0.id] }, frame, through: mailboxes)
        case .room(let frame, let room, let except):
            guard let counts = rooms[room]?.counts else { return }
            let left = except.flatMap { sessions[$0.id]?.line }
            for loop in counts.keys {
                // The excluded connection may be used only on its own event loop, so the operations for all other event loops get nil.
                let left = left?.mailbox.queue.number == loop ? left?.connection : nil
                mailboxes[loop].enqueue(.room(ChatRoomID(application, room), frame, except: left))
            }
        case .seat(let session, let room):
            guard let line = sessions[session.id]?.line, seats[session.id, default: []].insert(room).inserted else { return }
            rooms[room, default: Room()].counts[line.mailbox.queue.number, default: 0] += 1
            line.mailbox.enqueue(.seat(line.connection, ChatRoomID(application, room)))
        case .unseat(let session, let room):
            guard let line = sessions[session.id]?.line, seats[session.id]?.remove(room) != nil else { return }
            if seats[session.id]?.isEmpty == true { seats[session.id] = nil }
            leave(room, line)
            line.mailbox.enqueue(.unseat(line.connection, ChatRoomID(application, room)))
        case .end(let ended, let bye):
            for line in ended.compactMap({ sessions[$0.id]?.line }) { line.mailbox.enqueue(.end(line.connection, bye)) }
        }
    }

    private func tell(_ peers: [ChatSessionPeer], _ frame: ByteBuffer, through mailboxes: [EventLoopMailbox<ChatLoop>]) {
        guard !peers.isEmpty else { return }
        var byLoop: [Int: [NIOLoopBound<ChatConnection>]] = [:]
        for line in peers.compactMap(\.line) { byLoop[line.mailbox.queue.number, default: []].append(line.connection) }
        for (loop, connections) in byLoop { mailboxes[loop].enqueue(.tell(frame, connections)) }
    }
}
