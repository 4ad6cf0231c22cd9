import DequeModule
import NIOCore
import ServerValues

/// Sends a leader's answers to the queries of one node in pieces, limits the number of unconfirmed bytes, and repeats pieces that the node
/// has not confirmed in time.
///
/// Redis disconnects a subscriber whose unread messages exceed `client-output-buffer-limit pubsub`, so the unconfirmed bytes must stay
/// below that limit for any usual setting.
struct AnswerSender: Sendable {
    private var pieces = Deque<ClusterAnswers.Piece>()
    /// The number of pieces, from the beginning of ``pieces``, that were sent to the node but not confirmed by it.
    private var sent = 0
    private var sentBytes = 0
    private var last: UInt64 = 0
    /// The time when a piece was last sent or confirmed; nil when no piece is unconfirmed.
    private var progress: MonotonicInstant?
    private(set) var waitingBytes = 0

    /// The number of bytes that are counted for each piece in addition to its payload.
    private static let framing = 64

    /// Queues an answer. If the queue would exceed ``LeaderPolicy/answerBytes``, an empty answer is queued instead. The service that has
    /// made the query reports an empty answer as a failure.
    mutating func add(_ payload: ByteBuffer, to request: UInt64, _ policy: LeaderPolicy) {
        var rest = waitingBytes + payload.readableBytes > policy.answerBytes ? ByteBuffer() : payload
        repeat {
            let piece = rest.readSlice(length: min(rest.readableBytes, policy.pieceBytes)) ?? ByteBuffer()
            last += 1
            waitingBytes += piece.readableBytes + Self.framing
            pieces.append(
                ClusterAnswers.Piece(number: last, request: request, isLast: rest.readableBytes == 0, payload: piece))
        } while rest.readableBytes > 0
    }

    /// Returns the pieces that may be sent now without exceeding the limit of unconfirmed bytes.
    mutating func next(at now: MonotonicInstant, _ policy: LeaderPolicy) -> [ClusterAnswers.Piece] {
        var result: [ClusterAnswers.Piece] = []
        while sent < pieces.count, sentBytes < policy.answerWindow {
            let piece = pieces[sent]
            sent += 1
            sentBytes += piece.payload.readableBytes + Self.framing
            result.append(piece)
        }
        if !result.isEmpty { progress = now }
        return result
    }

    /// Records that the node has received all pieces up to this number.
    mutating func confirm(upTo number: UInt64, at now: MonotonicInstant) {
        while let first = pieces.first, first.number <= number {
            pieces.removeFirst()
            let bytes = first.payload.readableBytes + Self.framing
            waitingBytes -= bytes
            if sent > 0 {
                sent -= 1
                sentBytes -= bytes
            }
            progress = now
        }
        if sent == 0 { progress = nil }
    }

    /// Makes ``next(at:_:)`` return the unconfirmed pieces again when they were not confirmed in time.
    mutating func tick(at now: MonotonicInstant, _ policy: LeaderPolicy) {
        guard let progress, sent > 0, now.since(progress) >= policy.answerRetry else { return }
        (sent, sentBytes) = (0, 0)
    }
}
