import NIOCore

/// A position in the log of a cluster: the leader's generation, and the number of its batch. The batches of one leader are numbered from 1.
package struct ClusterPosition: Hashable, Sendable, Comparable, CustomStringConvertible {
    package var generation: UInt64
    package var sequence: UInt64

    package init(generation: UInt64, sequence: UInt64) {
        self.generation = generation
        self.sequence = sequence
    }

    /// The position before the first batch of every log.
    package static let origin = ClusterPosition(generation: 0, sequence: 0)

    package var description: String { "\(generation)-\(sequence)" }

    package static func < (left: ClusterPosition, right: ClusterPosition) -> Bool {
        (left.generation, left.sequence) < (right.generation, right.sequence)
    }
}

/// A session of one process in the cluster, as identified in requests. A node that was removed returns with the next session number.
package struct ClusterSession: Hashable, Sendable {
    package var incarnation: UInt64
    package var session: UInt32

    package init(incarnation: UInt64, session: UInt32) {
        self.incarnation = incarnation
        self.session = session
    }
}

/// One item of a batch in the log of a cluster.
package enum ClusterItem: Hashable, Sendable {
    /// A decision of the leader, for one service of the nodes.
    case fact(ClusterServiceID, ClusterAudience, ByteBuffer)
    /// The leader's answer to a node's request.
    case answer(ClusterSession, number: UInt64, ByteBuffer)
    /// The leader has processed a session's requests up to this number.
    case taken(ClusterSession, upTo: UInt64)
    /// The leader has removed a node's session: the subscriptions and sessions of its clients have ended.
    case expelled(ClusterSession)
    /// The leader accepts requests from this batch on. It has processed no earlier requests.
    case opened
    /// The store has lost confirmed batches after this position. Nodes that existed before the loss have to report it to their clients.
    case forked(at: ClusterPosition)

    /// The approximate size of the item in the log, in bytes.
    var cost: Int {
        switch self {
        case .fact(_, _, let payload), .answer(_, _, let payload): payload.readableBytes + 32
        case .taken, .expelled, .opened, .forked: 32
        }
    }
}

/// The items that a leader appends to the log in one step. They are stored and published completely or not at all.
package struct ClusterBatch: Hashable, Sendable {
    package var position: ClusterPosition
    /// The position of the preceding batch, of this leader or an earlier one.
    package var previous: ClusterPosition
    /// The node that is the leader.
    package var leader: ClusterNode
    package var items: [ClusterItem]

    package init(position: ClusterPosition, previous: ClusterPosition, leader: ClusterNode, items: [ClusterItem]) {
        self.position = position
        self.previous = previous
        self.leader = leader
        self.items = items
    }

    package var expectedLength: Int { items.reduce(64) { $0 + $1.cost } }
}

extension ClusterBatch: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        try fields.version(1)
        return Self(
            position: try fields.field(1, value?.position), previous: try fields.field(2, value?.previous),
            leader: try fields.field(3, value?.leader), items: try fields.list(4, value?.items))
    }
}

extension ClusterPosition: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(generation: try fields.field(1, value?.generation), sequence: try fields.field(2, value?.sequence))
    }
}

extension ClusterSession: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(incarnation: try fields.field(1, value?.incarnation), session: try fields.field(2, value?.session))
    }
}

extension ClusterNode: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let incarnation = try fields.field(1, value?.incarnation)
        return Self(name: try fields.field(2, value?.name), incarnation: incarnation)
    }
}

extension ClusterAudience: CodedValue {
    private enum Kind: UInt8 {
        case all, node, others
    }

    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let kind: Kind? =
            switch value {
            case .all?: .all
            case .node?: .node
            case .others?: .others
            case nil: nil
            }
        switch try fields.kind(kind) {
        case .all: return .all
        case .node: return .node(try fields.field(1, value.flatMap { if case .node(let node) = $0 { node } else { nil } }))
        case .others: return .others(try fields.field(1, value.flatMap { if case .others(let node) = $0 { node } else { nil } }))
        }
    }
}

extension ClusterItem: CodedValue {
    private enum Kind: UInt8 {
        case fact = 1
        case answer, taken, expelled, opened, forked
    }

    private var kind: Kind {
        switch self {
        case .fact: .fact
        case .answer: .answer
        case .taken: .taken
        case .expelled: .expelled
        case .opened: .opened
        case .forked: .forked
        }
    }

    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        switch try fields.kind(value?.kind) {
        case .fact:
            let given = value.flatMap { if case .fact(let id, let nodes, let bytes) = $0 { (id, nodes, bytes) } else { nil } }
            guard let service = ClusterServiceID(rawValue: try fields.field(1, given?.0.rawValue)) else {
                throw ClusterCodingError()
            }
            return .fact(service, try fields.field(2, given?.1), try fields.field(3, given?.2))
        case .answer:
            let given = value.flatMap { if case .answer(let to, let number, let bytes) = $0 { (to, number, bytes) } else { nil } }
            return .answer(
                try fields.field(1, given?.0), number: try fields.field(2, given?.1), try fields.field(3, given?.2))
        case .taken:
            let given = value.flatMap { if case .taken(let session, let number) = $0 { (session, number) } else { nil } }
            return .taken(try fields.field(1, given?.0), upTo: try fields.field(2, given?.1))
        case .expelled:
            return .expelled(try fields.field(1, value.flatMap { if case .expelled(let session) = $0 { session } else { nil } }))
        case .opened: return .opened
        case .forked:
            return .forked(at: try fields.field(1, value.flatMap { if case .forked(let place) = $0 { place } else { nil } }))
        }
    }
}
