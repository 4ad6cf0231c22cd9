import NIOCore

/// One request of a node to the leader.
package struct ClusterRequest: Hashable, Sendable {
    package enum Kind: UInt8, Hashable, Sendable {
        /// A request of one of the node's services.
        case request = 1
        /// A part of the announcement of one service's state.
        case announcement = 2
        /// The node's announcement is complete.
        case announced = 3
        /// The node has applied batches that the log has lost.
        case fork = 4
        /// A request of one of the node's services that only reads: its answer is sent outside of the log.
        case query = 5
    }

    /// The number of the request, counted from 1 for each leader and session. Requests are processed in the order of these numbers.
    package var number: UInt64
    package var kind: Kind
    /// The service; nil for a request that belongs to no single service.
    package var service: ClusterServiceID?
    package var payload: ByteBuffer

    package init(number: UInt64, kind: Kind, service: ClusterServiceID?, payload: ByteBuffer) {
        self.number = number
        self.kind = kind
        self.service = service
        self.payload = payload
    }

    var cost: Int { payload.readableBytes + 16 }
}

/// The requests that a node sends to the leader in one message. Without requests, the message only shows that the node is alive. The
/// numbers of the requests show whether a message was lost or repeated.
package struct ClusterRequests: Hashable, Sendable {
    /// The generation of the leader to which the message is addressed.
    package var generation: UInt64
    package var node: ClusterNode
    package var session: UInt32
    /// Whether the node leaves the cluster with this message.
    package var isFarewell: Bool
    /// The number of the last piece that the node has received of the answers to its queries.
    package var received: UInt64
    package var requests: [ClusterRequest]

    package init(
        generation: UInt64, node: ClusterNode, session: UInt32, isFarewell: Bool = false, received: UInt64 = 0,
        requests: [ClusterRequest] = []
    ) {
        self.generation = generation
        self.node = node
        self.session = session
        self.isFarewell = isFarewell
        self.received = received
        self.requests = requests
    }

    package var expectedLength: Int { requests.reduce(64) { $0 + $1.cost } }
}

extension ClusterRequests: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        try fields.version(2)
        return Self(
            generation: try fields.field(1, value?.generation), node: try fields.field(2, value?.node),
            session: try fields.field(3, value?.session), isFarewell: try fields.field(4, value?.isFarewell),
            received: try fields.field(5, value?.received), requests: try fields.list(6, value?.requests))
    }
}

extension ClusterRequest: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let number = try fields.field(1, value?.number)
        guard let kind = Kind(rawValue: try fields.field(2, value?.kind.rawValue)) else { throw ClusterCodingError() }
        let service = ClusterServiceID(rawValue: try fields.field(3, value.map { $0.service?.rawValue ?? 0 }))
        return Self(number: number, kind: kind, service: service, payload: try fields.field(4, value?.payload))
    }
}
