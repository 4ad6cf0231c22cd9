import NIOCore

/// A node's side of the answers to its queries: joins pieces, and confirms the received ones.
struct AnswerReceiver: Sendable {
    private(set) var received: UInt64 = 0
    /// The last piece whose receipt was confirmed to the leader.
    private var told: UInt64 = 0
    private var untoldBytes = 0
    /// Whether pieces arrived again, so that the leader has not received their confirmation.
    private var isRepeated = false
    private var partial: ByteBuffer?

    /// Bytes after which receipt is confirmed at once, so that the leader can continue sending.
    private static let confirmation = 131_072

    /// Handles received pieces.
    ///
    /// - Returns: the answers that are complete now, by the numbers of their requests.
    mutating func take(_ pieces: [ClusterAnswers.Piece]) -> [(request: UInt64, payload: ByteBuffer)] {
        var answers: [(request: UInt64, payload: ByteBuffer)] = []
        for piece in pieces {
            guard piece.number == received + 1 else {
                // A piece behind a gap is sent again, because its receipt is not confirmed to the leader.
                if piece.number <= received { isRepeated = true }
                continue
            }
            received = piece.number
            untoldBytes += piece.payload.readableBytes
            // In place: a copy in a variable would make each piece copy all before it.
            if partial?.writeImmutableBuffer(piece.payload) == nil { partial = piece.payload }
            guard piece.isLast else { continue }
            answers.append((piece.request, partial ?? ByteBuffer()))
            partial = nil
        }
        return answers
    }

    /// Whether the leader waits for a confirmation before it sends more.
    var isUrgent: Bool { untoldBytes >= Self.confirmation }
    /// Whether there are pieces to confirm.
    var isDue: Bool { received > told || isRepeated }

    /// Records that the confirmation is being sent.
    mutating func confirm() {
        told = received
        untoldBytes = 0
        isRepeated = false
    }
}
