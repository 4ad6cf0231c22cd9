import NIOCore

/// Answers of the leader to queries of one node, which are sent outside of the log. The answers are divided into the pieces of one numbered
/// sequence. The numbers show which pieces are missing or have arrived twice.
package struct ClusterAnswers: Hashable, Sendable {
    /// A part of an answer. The pieces of an answer are consecutive.
    package struct Piece: Hashable, Sendable {
        /// The number of the piece, counted from 1 for each leader and session.
        package var number: UInt64
        /// The number of the node's request that this piece answers.
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

    /// The generation of the leader that sends the answers.
    package var generation: UInt64
    package var session: ClusterSession
    package var pieces: [Piece]

    package init(generation: UInt64, session: ClusterSession, pieces: [Piece]) {
        self.generation = generation
        self.session = session
        self.pieces = pieces
    }

    package var expectedLength: Int { pieces.reduce(64) { $0 + $1.payload.readableBytes + 32 } }
}

extension ClusterAnswers: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        try fields.version(1)
        return Self(
            generation: try fields.field(1, value?.generation), session: try fields.field(2, value?.session),
            pieces: try fields.list(3, value?.pieces))
    }
}

extension ClusterAnswers.Piece: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            number: try fields.field(1, value?.number), request: try fields.field(2, value?.request),
            isLast: try fields.field(3, value?.isLast), payload: try fields.field(4, value?.payload))
    }
}
