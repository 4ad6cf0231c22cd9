import NIOCore

// Answers that come later.
extension HTTPConnection {
    /// The way for the answer to the request that has been read, good for one use.
    package func expectAnswer() -> HTTPReply {
        phase = .answering
        let (loop, number) = (loop, number)
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        return { answer in
            if loop.eventLoop.inEventLoop {
                bound.value.finish(number, answer)
            } else {
                loop.enqueue(.answer(bound, number: number, answer))
            }
        }
    }

    /// The request will be answered in a later turn of the loop, or its poll held. Returns its number.
    package func beginWork() -> UInt32 {
        phase = .answering
        return number
    }

    /// Whether the request with this number still waits for its answer.
    package func isAnswering(_ number: UInt32) -> Bool {
        guard case .answering = phase else { return false }
        return number == self.number
    }

    /// Answers the request with this number, if it still waits.
    package func finish(_ number: UInt32, _ answer: HTTPAnswer) {
        guard isAnswering(number) else { return }
        self.answer(answer)
        resume()
    }
}
