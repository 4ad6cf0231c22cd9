import NIOCore

// Answers that are sent after the call that handles the request has returned.
extension HTTPConnection {
    /// Returns a closure that answers the current request. Only its first call has an effect.
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

    /// Records that the request will be answered later on the event loop, or that it is held as a long poll. Returns the request's number,
    /// for ``finish(_:_:)``.
    package func beginWork() -> UInt32 {
        machine.answerLater()
        return number
    }

    /// Whether the request with this number still waits for its answer.
    package func isAnswering(_ number: UInt32) -> Bool {
        machine.isAnswering(number)
    }

    /// Answers the request with this number, unless it has been answered already.
    package func finish(_ number: UInt32, _ answer: HTTPAnswer) {
        guard isAnswering(number) else { return }
        self.answer(answer)
        resume()
    }
}
