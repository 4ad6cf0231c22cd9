import NIOCore
import ServerValues
import Testing

@testable import ServerCluster

/// Answers to queries on their way from a leader to a node, beside the log.
@Suite("CR-40: answers beside the log")
struct AnswerStreamTests {
    private static let policy = {
        var policy = LeaderPolicy()
        (policy.pieceBytes, policy.answerWindow, policy.answerBytes) = (100, 400, 10_000)
        return policy
    }()
    private let start = MonotonicInstant.seconds(1_000)

    private func payload(_ bytes: Int, _ seed: Int = 0) -> ByteBuffer {
        ByteBuffer(bytes: (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) })
    }

    @Test("Answers of any length come whole and in order, and no more than the window is on its way")
    func window() {
        var (sender, receiver) = (AnswerSender(), AnswerReceiver())
        let lengths = [0, 1, 100, 101, 950, 7]
        for (index, length) in lengths.enumerated() { sender.add(payload(length, index), to: UInt64(index), Self.policy) }
        var found: [(request: UInt64, payload: ByteBuffer)] = []
        for _ in 0..<20 {
            let pieces = sender.next(at: start, Self.policy)
            #expect(pieces.reduce(0) { $0 + $1.payload.readableBytes } <= 500)
            found += receiver.take(pieces)
            sender.confirm(upTo: receiver.received, at: start)
        }
        #expect(found.map(\.request) == [0, 1, 2, 3, 4, 5])
        for (index, length) in lengths.enumerated() { #expect(found[index].payload == payload(length, index)) }
        #expect(sender.waitingBytes == 0 && sender.next(at: start, Self.policy).isEmpty)
    }

    @Test("What is lost is sent again after a second, and what comes twice is taken once and confirmed again")
    func loss() {
        var (sender, receiver) = (AnswerSender(), AnswerReceiver())
        sender.add(payload(150), to: 1, Self.policy)
        let first = sender.next(at: start, Self.policy)
        // The first of two pieces is lost, so the second does not count.
        #expect(first.count == 2 && receiver.take(Array(first.dropFirst())).isEmpty)
        #expect(receiver.received == 0)
        let soon = start.advanced(by: .milliseconds(900))
        sender.tick(at: soon, Self.policy)
        #expect(sender.next(at: soon, Self.policy).isEmpty)
        let late = start.advanced(by: .seconds(1))
        sender.tick(at: late, Self.policy)
        let answers = receiver.take(sender.next(at: late, Self.policy))
        #expect(answers.map(\.payload) == [payload(150)])
        receiver.confirm()
        #expect(!receiver.isDue)
        // The confirmation is lost.
        let later = late.advanced(by: .seconds(1))
        sender.tick(at: later, Self.policy)
        #expect(receiver.take(sender.next(at: later, Self.policy)).isEmpty)
        #expect(receiver.isDue)
        sender.confirm(upTo: receiver.received, at: later)
        #expect(sender.waitingBytes == 0)
    }

    @Test("Beyond the bytes that may wait for a node an answer is empty, which its service reports as a failure")
    func bound() {
        var (sender, receiver) = (AnswerSender(), AnswerReceiver())
        for number in 1...4 { sender.add(payload(3_000), to: UInt64(number), Self.policy) }
        var found: [Int] = []
        for _ in 0..<40 {
            found += receiver.take(sender.next(at: start, Self.policy)).map(\.payload.readableBytes)
            sender.confirm(upTo: receiver.received, at: start)
        }
        #expect(found == [3_000, 3_000, 0, 0])
    }

    @Test("A message of answers comes back as it was, and its cuts are noticed")
    func wire() throws {
        let answers = ClusterAnswers(
            generation: .max, session: ClusterSession(incarnation: 5, session: 6),
            pieces: [
                .init(number: 1, request: 2, isLast: false, payload: payload(9)),
                .init(number: 2, request: 2, isLast: true, payload: ByteBuffer()),
            ])
        let bytes = answers.encoded()
        #expect(try ClusterAnswers(decoding: bytes) == answers)
        for length in 0..<bytes.readableBytes {
            let cut = try #require(bytes.getSlice(at: 0, length: length))
            #expect(throws: ClusterCodingError.self) { _ = try ClusterAnswers(decoding: cut) }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `CR-40: a long answer is joined without copying its beginning again and again`() {
        var receiver = AnswerReceiver()
        let (count, piece) = (200_000, payload(100))
        var answers: [(request: UInt64, payload: ByteBuffer)] = []
        for number in 1...count {
            answers += receiver.take([
                ClusterAnswers.Piece(number: UInt64(number), request: 7, isLast: number == count, payload: piece)
            ])
        }
        #expect(answers.map(\.request) == [7] && answers.first?.payload.readableBytes == count * 100)
        #expect(answers.first?.payload.getSlice(at: (count - 1) * 100, length: 100) == piece)
    }
}
