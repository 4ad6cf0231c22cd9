import ChatProtocol
import Identifiers
import NIOCore
import ServerCluster
import ServerStorage
import ServerValues

/// The deliveries of one change, which the leader sends to the nodes of a cluster for their sessions.
///
/// A fact is encoded once for all nodes. Deliveries to users are divided into one block for each node, and a node skips the blocks of other
/// nodes.
struct ChatFact: Sendable {
    var app: String
    var deliveries: [ChatDelivery]

    /// - Parameter node: the node whose blocks are decoded.
    init(_ bytes: ByteBuffer, for node: ClusterNode) throws(ClusterCodingError) {
        let fact = try CodedChatFact(decoding: bytes)
        app = fact.app
        deliveries = []
        for delivery in fact.deliveries {
            if let delivery = try delivery.delivery(to: node) { deliveries.append(delivery) }
        }
    }
}

/// The encoded form of a ``ChatFact``, with the deliveries for all nodes.
private struct CodedChatFact: CodedValue {
    var app: String
    var deliveries: [CodedDelivery]
    var expectedLength = 64

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(app: try fields.field(1, value?.app), deliveries: try fields.list(2, value?.deliveries))
    }
}

/// The part of a delivery to users that concerns one node: its users with sessions, or their positions in the inboxes.
private struct NodeBlock: CodedValue {
    /// The incarnation of the node: the number that identifies this run of the server's process.
    var node: UInt64
    var content: ByteBuffer

    static func code(_ value: NodeBlock?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> NodeBlock {
        NodeBlock(node: try fields.field(1, value?.node), content: try fields.field(2, value?.content))
    }
}

/// The content of a ``NodeBlock``: users, or positions in their inboxes.
private struct BlockElements<Element: CodedValue>: CodedValue {
    var elements: [Element]

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(elements: try fields.list(1, value?.elements))
    }
}

/// The encoded form of a ``ChatDelivery`` for all nodes. It refers to sessions by their ids.
private enum CodedDelivery: CodedValue {
    case inbox(ByteBuffer, except: UInt64?, [NodeBlock])
    case users(ByteBuffer, except: UInt64?, [NodeBlock])
    case room(ByteBuffer, except: UInt64?, Identifier)
    case sessions(ByteBuffer, [UInt64])
    case seat(UInt64, Identifier)
    case unseat(UInt64, Identifier)
    case end([UInt64], mayRetry: Bool, ChatRequestRefusal)

    private enum Kind: UInt8 {
        case inbox = 1
        case users, room, sessions, seat, unseat, end
    }

    private var kind: Kind {
        switch self {
        case .inbox: .inbox
        case .users: .users
        case .room: .room
        case .sessions: .sessions
        case .seat: .seat
        case .unseat: .unseat
        case .end: .end
        }
    }

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        switch try fields.kind(value?.kind) {
        case .inbox:
            let given = value.flatMap { if case .inbox(let body, let id, let blocks) = $0 { (body, id, blocks) } else { nil } }
            return .inbox(
                try fields.field(1, given?.0), except: try fields.optional(2, given?.1), try fields.list(3, given?.2))
        case .users:
            let given = value.flatMap { if case .users(let frame, let id, let blocks) = $0 { (frame, id, blocks) } else { nil } }
            return .users(
                try fields.field(1, given?.0), except: try fields.optional(2, given?.1), try fields.list(3, given?.2))
        case .room:
            let given = value.flatMap { if case .room(let frame, let id, let room) = $0 { (frame, id, room) } else { nil } }
            return .room(
                try fields.field(1, given?.0), except: try fields.optional(2, given?.1), try fields.field(3, given?.2))
        case .sessions:
            let given = value.flatMap { if case .sessions(let frame, let ids) = $0 { (frame, ids) } else { nil } }
            return .sessions(try fields.field(1, given?.0), try fields.list(2, given?.1))
        case .seat:
            let given = value.flatMap { if case .seat(let id, let room) = $0 { (id, room) } else { nil } }
            return .seat(try fields.field(1, given?.0), try fields.field(2, given?.1))
        case .unseat:
            let given = value.flatMap { if case .unseat(let id, let room) = $0 { (id, room) } else { nil } }
            return .unseat(try fields.field(1, given?.0), try fields.field(2, given?.1))
        case .end:
            let given = value.flatMap { if case .end(let ids, let retry, let bye) = $0 { (ids, retry, bye) } else { nil } }
            return .end(try fields.list(1, given?.0), mayRetry: try fields.field(2, given?.1), try fields.field(3, given?.2))
        }
    }

    /// The delivery to the sessions of one node; nil when it concerns none of them.
    func delivery(to node: ClusterNode) throws(ClusterCodingError) -> ChatDelivery? {
        switch self {
        case .inbox(let body, let except, let blocks):
            guard let places: [ChatInboxPlace] = try Self.elements(of: blocks, node) else { return nil }
            return .inbox(body, places, except: Self.session(except))
        case .users(let frame, let except, let blocks):
            guard let users: [Identifier] = try Self.elements(of: blocks, node) else { return nil }
            return .users(frame, users, except: Self.session(except))
        case .room(let frame, let except, let room): return .room(frame, room, except: Self.session(except))
        case .sessions(let frame, let ids): return .sessions(frame, ids.map { ChatSessionID(id: $0, eventLoopID: 0) })
        case .seat(let id, let room): return .seat(ChatSessionID(id: id, eventLoopID: 0), room)
        case .unseat(let id, let room): return .unseat(ChatSessionID(id: id, eventLoopID: 0), room)
        case .end(let ids, let mayRetry, let refusal):
            return .end(
                ids.map { ChatSessionID(id: $0, eventLoopID: 0) },
                ChatBye(code: refusal.code, reason: refusal.reason, mayRetry: mayRetry, after: refusal.retryAfter))
        }
    }

    private static func session(_ id: UInt64?) -> ChatSessionID? { id.map { ChatSessionID(id: $0, eventLoopID: 0) } }

    private static func elements<Element: CodedValue>(
        of blocks: [NodeBlock], _ node: ClusterNode
    ) throws(ClusterCodingError) -> [Element]? {
        guard let block = blocks.last(where: { $0.node == node.incarnation }) else { return nil }
        return try BlockElements<Element>(decoding: block.content).elements
    }
}

/// Encodes a ``ChatFact``. It collects the deliveries of one change, and the nodes with sessions that get at least one of these deliveries.
struct ChatFactWriter {
    private let app: String
    private var deliveries: [CodedDelivery] = []
    private var size = 64
    private let nodes: [ClusterNode?]
    private var concerned = EventLoopSet()
    private var concernsAll = false

    /// - Parameter nodes: the nodes of the cluster, indexed by their numbers; nil for a free number.
    init(app: String, nodes: [ClusterNode?]) {
        self.nodes = nodes
        self.app = app
    }

    /// The encoded fact, and the nodes that need it; nil when no node needs it.
    var fact: (bytes: ByteBuffer, audience: ClusterAudience)? { fact(.written) }

    func fact(_ layout: CodingLayout) -> (bytes: ByteBuffer, audience: ClusterAudience)? {
        var audience = ClusterAudience.all
        if !concernsAll {
            var numbers = concerned.makeIterator()
            guard let first = numbers.next() else { return nil }
            if numbers.next() == nil, let only = nodes[first] { audience = .node(only) }
        }
        return (CodedChatFact(app: app, deliveries: deliveries, expectedLength: size).encoded(layout), audience)
    }

    /// Adds a delivery.
    ///
    /// - Parameter sessions: the sessions of all nodes.
    mutating func add(_ delivery: ChatDelivery, _ sessions: ChatNodeSessions) {
        switch delivery {
        case .inbox(let body, let places, let except):
            let blocks = blocks(places, sessions, by: \.user)
            guard !blocks.isEmpty else { return }
            add(.inbox(body, except: except?.id, blocks), of: body)
        case .users(let frame, let users, let except):
            let blocks = blocks(users, sessions, by: \.self)
            guard !blocks.isEmpty else { return }
            add(.users(frame, except: except?.id, blocks), of: frame)
        case .room(let frame, let room, let except):
            concernsAll = true
            add(.room(frame, except: except?.id, room), of: frame)
        case .sessions(let frame, let chosen): add(.sessions(frame, ids(chosen)), of: frame)
        case .seat(let session, let room):
            concerned.insert(session.eventLoopID)
            deliveries.append(.seat(session.id, room))
        case .unseat(let session, let room):
            concerned.insert(session.eventLoopID)
            deliveries.append(.unseat(session.id, room))
        case .end(let ended, let bye):
            deliveries.append(
                .end(ids(ended), mayRetry: bye.mayRetry, ChatRequestRefusal(bye.code, bye.reason, retryAfter: bye.after)))
        }
    }

    private mutating func add(_ delivery: CodedDelivery, of frame: ByteBuffer) {
        size += frame.readableBytes + 64
        deliveries.append(delivery)
    }

    /// Returns the ids of these sessions, and records that the nodes with these sessions need the fact.
    private mutating func ids(_ sessions: [ChatSessionID]) -> [UInt64] {
        for session in sessions { concerned.insert(session.eventLoopID) }
        return sessions.map(\.id)
    }

    /// The elements of a delivery to users, in a block for each node on which the users have sessions.
    private mutating func blocks<Element: CodedValue>(
        _ elements: [Element], _ sessions: ChatNodeSessions, by user: (Element) -> Identifier
    ) -> [NodeBlock] {
        var blocks: [Int: [Element]] = [:]
        for element in elements {
            var seen = EventLoopSet()
            for peer in sessions.peers(of: user(element)) where !seen.contains(peer.chat.eventLoopID) {
                seen.insert(peer.chat.eventLoopID)
                blocks[peer.chat.eventLoopID, default: []].append(element)
            }
        }
        return blocks.map { number, elements in
            concerned.insert(number)
            let content = BlockElements(elements: elements).encoded()
            size += content.readableBytes + 16
            return NodeBlock(node: nodes[number]?.incarnation ?? 0, content: content)
        }
    }
}
