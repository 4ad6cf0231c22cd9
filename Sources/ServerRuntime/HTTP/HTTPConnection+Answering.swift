import NIOCore

// Answers that are sent later.
extension HTTPConnection {
    /// Returns a closure that answers the request that was read; it can be called once.
    package func expectAnswer() -> HTTPReply {
        machine.answerLater()
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

    /// Records that the request will be answered in a later turn of the event loop, or that its poll is held. Returns the number of
    /// the request.
    package func beginWork() -> UInt32 {
        machine.answerLater()
        return number
    }

    /// Whether the request with this number still waits for its answer.
    package func isAnswering(_ number: UInt32) -> Bool {
        machine.isAnswering(number)
    }

    /// Answers the request with this number, if it is not answered yet.
    package func finish(_ number: UInt32, _ answer: HTTPAnswer) {
        guard isAnswering(number) else { return }
        self.answer(answer)
        resume()
    }
}
