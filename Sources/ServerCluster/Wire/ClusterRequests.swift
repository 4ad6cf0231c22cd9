import NIOCore

/// One request of a node to the leader.
package struct ClusterRequest: Hashable, Sendable {
    package enum Kind: UInt8, Hashable, Sendable {
        /// A request of one of the node's services.
        case request = 1
        /// Part of the announcement of a service.
        case announcement = 2
        /// The announcement is complete.
        case announced = 3
        /// The node has applied batches that the log has lost.
        case fork = 4
        /// A request of one of the node's services that only reads: its answer is sent outside of the log.
        case query = 5
    }

    /// The number of the request, from 1 for each leader and session; requests are processed in this order.
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

/// The requests that a node sends to the leader in one message. Without requests, the message only shows that the node is alive.
/// Messages may be lost or repeated; their numbers show this.
package struct ClusterRequests: Hashable, Sendable {
    /// The generation of the leader to which the message is addressed.
    package var generation: UInt64
    package var node: ClusterNode
    package var session: UInt32
    /// Whether the node leaves with this message.
    package var isFarewell: Bool
    /// The last piece of the answers to its queries that the node has received.
    package var received: UInt64
    package var requests: [ClusterRequest]

    private static let version: UInt8 = 2

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

    package func encoded() -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(requests.reduce(64) { $0 + $1.cost })
        buffer.writeInteger(Self.version)
        buffer.writeInteger(generation)
        buffer.write(node: node)
        buffer.writeInteger(session)
        buffer.write(flag: isFarewell)
        buffer.writeInteger(received)
        buffer.write(list: requests) { buffer, request in
            buffer.writeInteger(request.number)
            buffer.writeInteger(request.kind.rawValue)
            buffer.writeInteger(request.service?.rawValue ?? 0)
            buffer.write(buffer: request.payload)
        }
        return buffer
    }

    package init(_ buffer: ByteBuffer) throws(ClusterCodingError) {
        var buffer = buffer
        guard try buffer.number(UInt8.self) == Self.version else { throw ClusterCodingError() }
        generation = try buffer.number()
        node = try buffer.node()
        session = try buffer.number()
        isFarewell = try buffer.flag()
        received = try buffer.number()
        requests = try buffer.list { (buffer) throws(ClusterCodingError) in
            let number = try buffer.number(UInt64.self)
            guard let kind = ClusterRequest.Kind(rawValue: try buffer.number()) else { throw ClusterCodingError() }
            let service = ClusterServiceID(rawValue: try buffer.number())
            return ClusterRequest(number: number, kind: kind, service: service, payload: try buffer.buffer())
        }
        try buffer.end()
    }
}
