import NIOCore

/// Answers to queries of one node, which its leader sends outside of the log: pieces of one sequence, so that none is lost or
/// handled twice.
package struct ClusterAnswers: Hashable, Sendable {
    /// A part of an answer. The pieces of an answer are consecutive.
    package struct Piece: Hashable, Sendable {
        /// The number of the piece, from 1 for each leader and session.
        package var number: UInt64
        /// The number of the node's request.
        package var request: UInt64
        /// Whether the answer ends with this piece.
        package var isLast: Bool
        package var payload: ByteBuffer

        package init(number: UInt64, request: UInt64, isLast: Bool, payload: ByteBuffer) {
            self.number = number
            self.request = request
            self.isLast = isLast
            self.payload = payload
        }
    }

    /// The generation of the leader that answers.
    package var generation: UInt64
    package var session: ClusterSession
    package var pieces: [Piece]

    private static let version: UInt8 = 1

    package init(generation: UInt64, session: ClusterSession, pieces: [Piece]) {
        self.generation = generation
        self.session = session
        self.pieces = pieces
    }

    package func encoded() -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(pieces.reduce(64) { $0 + $1.payload.readableBytes + 32 })
        buffer.writeInteger(Self.version)
        buffer.writeInteger(generation)
        buffer.write(session: session)
        buffer.write(list: pieces) { buffer, piece in
            buffer.writeMultipleIntegers(piece.number, piece.request)
            buffer.write(flag: piece.isLast)
            buffer.write(buffer: piece.payload)
        }
        return buffer
    }

    package init(_ buffer: ByteBuffer) throws(ClusterCodingError) {
        var buffer = buffer
        guard try buffer.number(UInt8.self) == Self.version else { throw ClusterCodingError() }
        generation = try buffer.number()
        session = try buffer.session()
        pieces = try buffer.list { (buffer) throws(ClusterCodingError) in
            let (number, request) = (try buffer.number(UInt64.self), try buffer.number(UInt64.self))
            let isLast = try buffer.flag()
            return Piece(number: number, request: request, isLast: isLast, payload: try buffer.buffer())
        }
        try buffer.end()
    }
}
