import Identifiers
import NIOCore
import NexconnProtocol
import ServerCluster
import ServerStorage
import ServerValues

/// A fact that the leader sends to the nodes of a cluster: the deliveries of one change to their sessions.
///
/// Encoded once for all nodes. Deliveries to users are divided into one block for each node, and the other nodes skip that block.
struct ChatFact: Sendable {
    fileprivate enum Kind: UInt8 {
        case inbox = 1
        case users, room, sessions, seat, unseat, end
    }

    var app: String
    var deliveries: [NexconnDelivery]

    /// - Parameter node: the node whose blocks are decoded.
    init(_ bytes: ByteBuffer, for node: ClusterNode) throws(ClusterCodingError) {
        var bytes = bytes
        app = try bytes.text()
        deliveries = []
        for _ in 0..<(try bytes.number(UInt32.self)) {
            if let delivery = try Self.delivery(&bytes, node.incarnation) { deliveries.append(delivery) }
        }
        try bytes.end()
    }

    private static func delivery(
        _ bytes: inout ByteBuffer, _ node: UInt64
    ) throws(ClusterCodingError) -> NexconnDelivery? {
        guard let kind = Kind(rawValue: try bytes.number()) else { throw ClusterCodingError() }
        switch kind {
        case .inbox:
            let (body, except) = (try bytes.buffer(), try bytes.exception())
            guard var block = try bytes.block(of: node) else { return nil }
            let places = try block.list { (buffer) throws(ClusterCodingError) in
                ChatInboxPlace(user: try buffer.identifier(), sequence: try buffer.number())
            }
            return .inbox(body, places, except: except)
        case .users:
            let (frame, except) = (try bytes.buffer(), try bytes.exception())
            guard var block = try bytes.block(of: node) else { return nil }
            return .users(
                frame, try block.list { (buffer) throws(ClusterCodingError) in try buffer.identifier() }, except: except)
        case .room:
            let (frame, except) = (try bytes.buffer(), try bytes.exception())
            return .room(frame, try bytes.identifier(), except: except)
        case .sessions: return .sessions(try bytes.buffer(), try bytes.sessions())
        case .seat: return .seat(try bytes.session(), try bytes.identifier())
        case .unseat: return .unseat(try bytes.session(), try bytes.identifier())
        case .end:
            let (sessions, mayRetry) = (try bytes.sessions(), try bytes.flag())
            let refusal = try bytes.refusal()
            return .end(
                sessions, NexconnBye(code: refusal.code, reason: refusal.reason, mayRetry: mayRetry, after: refusal.retryAfter))
        }
    }
}

/// Encodes a ``ChatFact``: collects the deliveries of one change, and the nodes whose sessions need at least one of them.
struct ChatFactWriter {
    private var bytes = ByteBuffer()
    private var count: UInt32 = 0
    /// The index in `bytes` at which the number of deliveries is written.
    private let head: Int
    private let nodes: [ClusterNode?]
    private var concerned = EventLoopSet()
    private var concernsAll = false

    /// - Parameter nodes: the nodes, indexed by their numbers.
    init(app: String, nodes: [ClusterNode?]) {
        self.nodes = nodes
        bytes.write(text: app)
        head = bytes.writerIndex
        bytes.writeInteger(count)
    }

    /// The fact and its audience; nil when no node needs it.
    var fact: (bytes: ByteBuffer, audience: ClusterAudience)? {
        if concernsAll { return (bytes, .all) }
        var numbers = concerned.makeIterator()
        guard let first = numbers.next() else { return nil }
        guard numbers.next() == nil, let only = nodes[first] else { return (bytes, .all) }
        return (bytes, .node(only))
    }

    /// Adds a delivery.
    ///
    /// - Parameter sessions: the sessions of all nodes.
    mutating func add(_ delivery: NexconnDelivery, _ sessions: NexconnNodeSessions) {
        switch delivery {
        case .inbox(let body, let places, let except):
            let blocks = blocks(places, sessions, by: \.user)
            guard !blocks.isEmpty else { return }
            begin(.inbox, body, except)
            write(blocks) { buffer, place in
                buffer.write(text: place.user.text)
                buffer.writeInteger(place.sequence)
            }
        case .users(let frame, let users, let except):
            let blocks = blocks(users, sessions, by: \.self)
            guard !blocks.isEmpty else { return }
            begin(.users, frame, except)
            write(blocks) { $0.write(text: $1.text) }
        case .room(let frame, let room, let except):
            begin(.room, frame, except)
            bytes.write(text: room.text)
            concernsAll = true
        case .sessions(let frame, let chosen):
            begin(.sessions)
            bytes.write(buffer: frame)
            write(chosen)
        case .seat(let session, let room), .unseat(let session, let room):
            if case .seat = delivery { begin(.seat) } else { begin(.unseat) }
            bytes.writeInteger(session.id)
            bytes.write(text: room.text)
            concerned.insert(session.eventLoopID)
        case .end(let ended, let bye):
            begin(.end)
            write(ended)
            bytes.write(flag: bye.mayRetry)
            bytes.write(NexconnRefusal(bye.code, bye.reason, retryAfter: bye.after))
        }
    }

    private mutating func begin(_ kind: ChatFact.Kind) {
        count += 1
        bytes.setInteger(count, at: head)
        bytes.writeInteger(kind.rawValue)
    }

    private mutating func begin(_ kind: ChatFact.Kind, _ frame: ByteBuffer, _ except: ChatSession?) {
        begin(kind)
        bytes.write(buffer: frame)
        bytes.write(optional: except?.id) { $0.writeInteger($1) }
    }

    private mutating func write(_ sessions: [ChatSession]) {
        bytes.write(list: sessions) { $0.writeInteger($1.id) }
        for session in sessions { concerned.insert(session.eventLoopID) }
    }

    /// The elements of a delivery to users, grouped by the numbers of the nodes on which the users have sessions.
    private func blocks<Element>(
        _ elements: [Element], _ sessions: NexconnNodeSessions, by user: (Element) -> Identifier
    ) -> [Int: [Element]] {
        var blocks: [Int: [Element]] = [:]
        for element in elements {
            var seen = EventLoopSet()
            for peer in sessions.peers(of: user(element)) where !seen.contains(peer.chat.eventLoopID) {
                seen.insert(peer.chat.eventLoopID)
                blocks[peer.chat.eventLoopID, default: []].append(element)
            }
        }
        return blocks
    }

    private mutating func write<Element>(_ blocks: [Int: [Element]], _ body: (inout ByteBuffer, Element) -> Void) {
        bytes.writeInteger(UInt32(blocks.count))
        for (number, elements) in blocks {
            concerned.insert(number)
            bytes.writeInteger(nodes[number]?.incarnation ?? 0)
            var block = ByteBuffer()
            block.write(list: elements, body)
            bytes.write(buffer: block)
        }
    }
}

extension ByteBuffer {
    fileprivate mutating func session() throws(ClusterCodingError) -> ChatSession {
        // Nodes identify their sessions by the ids alone.
        ChatSession(id: try number(), eventLoopID: 0)
    }

    fileprivate mutating func exception() throws(ClusterCodingError) -> ChatSession? {
        try optional { (buffer) throws(ClusterCodingError) in try buffer.session() }
    }

    fileprivate mutating func sessions() throws(ClusterCodingError) -> [ChatSession] {
        try list { (buffer) throws(ClusterCodingError) in try buffer.session() }
    }

    fileprivate mutating func block(of node: UInt64) throws(ClusterCodingError) -> ByteBuffer? {
        var own: ByteBuffer?
        for _ in 0..<(try number(UInt32.self)) {
            let (owner, block) = (try number(UInt64.self), try buffer())
            if owner == node { own = block }
        }
        return own
    }
}
