import Identifiers
import NIOCore
import NexconnProtocol
import RealtimeHub
import ServerRuntime

/// Who is connected and where: turns deliveries into work for event loops.
///
/// Guarded by a lock of its own, under which that work is queued, so that every device sees one order. Nothing else is locked
/// while it is held but the loops' queues.
struct NexconnAudience: Sendable {
    /// Commits under way, and those that only wait for their turn behind them.
    var waiting = 0
    /// Events that the store failed to keep and the book has not forgotten yet.
    var failed: Set<UInt64> = []
    private var sessions: [UInt64: NexconnPeer] = [:]
    private var users: [Identifier: [NexconnPeer]] = [:]
    private var rooms: [Identifier: Room] = [:]
    /// In which open channels a session sits; only those that sit somewhere.
    private var seats: [UInt64: Set<Identifier>] = [:]

    /// How many of an open channel's devices are on each event loop.
    private struct Room {
        var counts: [Int: Int] = [:]
    }

    var isEmpty: Bool { sessions.isEmpty }

    /// The devices of a user, oldest first.
    func peers(of user: Identifier) -> [NexconnPeer] { users[user] ?? [] }

    /// Every session.
    var all: [ChatSession] { sessions.values.map(\.chat) }

    mutating func insert(_ peer: NexconnPeer) {
        sessions[peer.chat.id] = peer
        users[peer.user, default: []].append(peer)
    }

    /// Takes a session out of everything.
    mutating func remove(_ peer: NexconnPeer) {
        guard sessions.removeValue(forKey: peer.chat.id) != nil else { return }
        users[peer.user]?.removeAll { $0 === peer }
        if users[peer.user]?.isEmpty == true { users[peer.user] = nil }
        for room in seats.removeValue(forKey: peer.chat.id) ?? [] { leave(room, peer.mailbox.queue.number) }
    }

    private mutating func leave(_ room: Identifier, _ partition: Int) {
        rooms[room]?.counts[partition, default: 1] -= 1
        if rooms[room]?.counts[partition] == 0 { rooms[room]?.counts[partition] = nil }
        if rooms[room]?.counts.isEmpty == true { rooms[room] = nil }
    }

    /// Queues what comes of a delivery on the event loops that it concerns.
    mutating func perform(_ delivery: NexconnDelivery, application: Int, mailboxes: [EventLoopMailbox<NexconnLoop>]) {
        switch delivery {
        case .inbox(let body, let places, let except):
            var byLoop: [Int: [NexconnPush.Target]] = [:]
            for place in places {
                for peer in users[place.user] ?? [] {
                    byLoop[peer.mailbox.queue.number, default: []].append(
                        NexconnPush.Target(connection: peer.connection, sequence: place.sequence, knows: peer === except))
                }
            }
            for (partition, targets) in byLoop {
                mailboxes[partition].enqueue(.push(NexconnPush(body: body, targets: targets)))
            }
        case .users(let frame, let names, let except):
            tell(names.flatMap { users[$0] ?? [] }.filter { $0 !== except }, frame, mailboxes)
        case .sessions(let frame, let chosen):
            tell(chosen.compactMap { sessions[$0.id] }, frame, mailboxes)
        case .room(let frame, let room, let except):
            for partition in (rooms[room]?.counts ?? [:]).keys {
                // Only its own loop may look at a connection.
                let left = except?.mailbox.queue.number == partition ? except?.connection : nil
                mailboxes[partition].enqueue(.room(NexconnRoomID(application, room), frame, except: left))
            }
        case .seat(let session, let room):
            guard let peer = sessions[session.id], seats[session.id, default: []].insert(room).inserted else { return }
            rooms[room, default: Room()].counts[peer.mailbox.queue.number, default: 0] += 1
            peer.mailbox.enqueue(.seat(peer.connection, NexconnRoomID(application, room)))
        case .unseat(let session, let room):
            guard let peer = sessions[session.id], seats[session.id]?.remove(room) != nil else { return }
            if seats[session.id]?.isEmpty == true { seats[session.id] = nil }
            leave(room, peer.mailbox.queue.number)
            peer.mailbox.enqueue(.unseat(peer.connection, NexconnRoomID(application, room)))
        case .end(let ended, let bye):
            for peer in ended.compactMap({ sessions[$0.id] }) { peer.mailbox.enqueue(.end(peer.connection, bye)) }
        }
    }

    private func tell(_ peers: [NexconnPeer], _ frame: ByteBuffer, _ mailboxes: [EventLoopMailbox<NexconnLoop>]) {
        var byLoop: [Int: [NIOLoopBound<NexconnConnection>]] = [:]
        for peer in peers { byLoop[peer.mailbox.queue.number, default: []].append(peer.connection) }
        for (partition, connections) in byLoop { mailboxes[partition].enqueue(.tell(frame, connections)) }
    }
}

/// An open channel of one of the server's applications.
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
        /// Whether the device need not be told, because its own request brought this about.
        let knows: Bool
    }

    let body: ByteBuffer
    let targets: [Target]

    init(body: ByteBuffer, targets: [Target]) {
        self.body = body
        self.targets = targets
    }
}
