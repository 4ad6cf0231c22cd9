import NIOCore

/// A position in the log of a cluster: the leader's generation, and the number of its batch. The batches of one leader are numbered from 1.
package struct ClusterPosition: Hashable, Sendable, Comparable, CustomStringConvertible {
    package var generation: UInt64
    package var sequence: UInt64

    package init(generation: UInt64, sequence: UInt64) {
        self.generation = generation
        self.sequence = sequence
    }

    /// The position before every log.
    package static let origin = ClusterPosition(generation: 0, sequence: 0)

    package var description: String { "\(generation)-\(sequence)" }

    /// The position in the form of a request's payload.
    var encoded: ByteBuffer {
        var buffer = ByteBuffer()
        buffer.write(position: self)
        return buffer
    }

    /// Nil for a buffer that is not a position.
    init?(encoded buffer: ByteBuffer) {
        var buffer = buffer
        guard let position = try? buffer.position(), (try? buffer.end()) != nil else { return nil }
        self = position
    }

    package static func < (left: ClusterPosition, right: ClusterPosition) -> Bool {
        (left.generation, left.sequence) < (right.generation, right.sequence)
    }
}

/// A period of one process in the cluster, as identified in requests: a removed node comes back with the next session.
package struct ClusterSession: Hashable, Sendable {
    package var incarnation: UInt64
    package var session: UInt32

    package init(incarnation: UInt64, session: UInt32) {
        self.incarnation = incarnation
        self.session = session
    }
}

/// One item of a batch.
package enum ClusterItem: Hashable, Sendable {
    /// A decision, for a service of the nodes.
    case fact(ClusterServiceID, ClusterAudience, ByteBuffer)
    /// The answer to a node's request.
    case answer(ClusterSession, number: UInt64, ByteBuffer)
    /// The leader has processed a node's requests up to this one.
    case taken(ClusterSession, upTo: UInt64)
    /// The leader has removed a node: the subscriptions and sessions of its clients have ended.
    case expelled(ClusterSession)
    /// The leader accepts requests from here on; earlier ones were not processed.
    case opened
    /// Redis has lost batches that followed this one and were confirmed: nodes that existed before have to report the loss to their
    /// clients.
    case forked(at: ClusterPosition)

    /// The approximate size in the log, in bytes.
    var cost: Int {
        switch self {
        case .fact(_, _, let payload), .answer(_, _, let payload): payload.readableBytes + 32
        case .taken, .expelled, .opened, .forked: 32
        }
    }
}

/// The entries that a leader appends to the log in one step. They are stored and published as a whole or not at all.
package struct ClusterBatch: Hashable, Sendable {
    package var position: ClusterPosition
    /// The position of the preceding batch, of this leader or an earlier one.
    package var previous: ClusterPosition
    /// The node that leads.
    package var leader: ClusterNode
    package var items: [ClusterItem]

    private static let version: UInt8 = 1

    package init(position: ClusterPosition, previous: ClusterPosition, leader: ClusterNode, items: [ClusterItem]) {
        self.position = position
        self.previous = previous
        self.leader = leader
        self.items = items
    }

    package func encoded() -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(items.reduce(64) { $0 + $1.cost })
        buffer.writeInteger(Self.version)
        buffer.write(position: position)
        buffer.write(position: previous)
        buffer.write(node: leader)
        buffer.write(list: items) { $0.write(item: $1) }
        return buffer
    }

    package init(_ buffer: ByteBuffer) throws(ClusterCodingError) {
        var buffer = buffer
        guard try buffer.number(UInt8.self) == Self.version else { throw ClusterCodingError() }
        position = try buffer.position()
        previous = try buffer.position()
        leader = try buffer.node()
        items = try buffer.list { (buffer) throws(ClusterCodingError) in try buffer.item() }
        try buffer.end()
    }
}

extension ByteBuffer {
    fileprivate mutating func write(position: ClusterPosition) {
        writeMultipleIntegers(position.generation, position.sequence)
    }

    fileprivate mutating func position() throws(ClusterCodingError) -> ClusterPosition {
        ClusterPosition(generation: try number(), sequence: try number())
    }

    mutating func write(session: ClusterSession) {
        writeMultipleIntegers(session.incarnation, session.session)
    }

    mutating func session() throws(ClusterCodingError) -> ClusterSession {
        ClusterSession(incarnation: try number(), session: try number())
    }

    fileprivate mutating func write(item: ClusterItem) {
        switch item {
        case .fact(let service, let audience, let payload):
            writeInteger(1 as UInt8)
            writeInteger(service.rawValue)
            switch audience {
            case .all: writeInteger(0 as UInt8)
            case .node(let node):
                writeInteger(1 as UInt8)
                write(node: node)
            case .others(let node):
                writeInteger(2 as UInt8)
                write(node: node)
            }
            write(buffer: payload)
        case .answer(let session, let number, let payload):
            writeInteger(2 as UInt8)
            write(session: session)
            writeInteger(number)
            write(buffer: payload)
        case .taken(let session, let number):
            writeInteger(3 as UInt8)
            write(session: session)
            writeInteger(number)
        case .expelled(let session):
            writeInteger(4 as UInt8)
            write(session: session)
        case .opened: writeInteger(5 as UInt8)
        case .forked(let position):
            writeInteger(6 as UInt8)
            write(position: position)
        }
    }

    fileprivate mutating func item() throws(ClusterCodingError) -> ClusterItem {
        switch try number(UInt8.self) {
        case 1:
            guard let service = ClusterServiceID(rawValue: try number()) else { throw ClusterCodingError() }
            let audience: ClusterAudience
            switch try number(UInt8.self) {
            case 0: audience = .all
            case 1: audience = .node(try node())
            case 2: audience = .others(try node())
            default: throw ClusterCodingError()
            }
            return .fact(service, audience, try buffer())
        case 2:
            let session = try session()
            return .answer(session, number: try number(), try buffer())
        case 3:
            let session = try session()
            return .taken(session, upTo: try number())
        case 4: return .expelled(try session())
        case 5: return .opened
        case 6: return .forked(at: try position())
        default: throw ClusterCodingError()
        }
    }
}
