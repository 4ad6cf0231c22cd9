import NIOCore

/// Receives the answers to a node's queries: joins their pieces, and tracks which pieces have to be confirmed to the leader.
struct AnswerReceiver: Sendable {
    private(set) var received: UInt64 = 0
    /// The number of the last piece whose receipt was confirmed to the leader.
    private var told: UInt64 = 0
    private var untoldBytes = 0
    /// Whether pieces have arrived a second time. Then the leader has not received the confirmation of their first arrival, so it is sent
    /// again.
    private var isRepeated = false
    private var partial: ByteBuffer?

    /// The number of received bytes after which receipt is confirmed at once, so that the leader can continue sending.
    private static let confirmation = 131_072

    /// Handles received pieces.
    ///
    /// - Returns: the answers that these pieces complete, with the numbers of their requests.
    mutating func take(_ pieces: [ClusterAnswers.Piece]) -> [(request: UInt64, payload: ByteBuffer)] {
        var answers: [(request: UInt64, payload: ByteBuffer)] = []
        for piece in pieces {
            guard piece.number == received + 1 else {
                // This is not the next piece. If pieces before it are missing, the leader sends it again, because it is not confirmed.
                if piece.number <= received { isRepeated = true }
                continue
            }
            received = piece.number
            untoldBytes += piece.payload.readableBytes
            // The piece is appended in place: with a copy in a variable, each piece would copy all pieces before it.
            if partial?.writeImmutableBuffer(piece.payload) == nil { partial = piece.payload }
            guard piece.isLast else { continue }
            answers.append((piece.request, partial ?? ByteBuffer()))
            partial = nil
        }
        return answers
    }

    /// Whether receipt has to be confirmed at once, because the leader may wait for it before it sends more.
    var isUrgent: Bool { untoldBytes >= Self.confirmation }
    /// Whether pieces have arrived whose receipt has to be confirmed to the leader.
    var isDue: Bool { received > told || isRepeated }

    /// Records that receipt of all pieces so far is being confirmed.
    mutating func confirm() {
        told = received
        untoldBytes = 0
        isRepeated = false
    }
}
