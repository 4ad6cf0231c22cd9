import NIOCore
import ServerValues

// Answers on their way to the socket.
extension HTTPConnection {
    /// The size of the system's send buffer for a peer that receives a large body.
    private static let largeBodySendBuffer: SocketOptionValue = 256 << 10

    /// Holds the request: nothing is sent until its exchange has an answer.
    package func holdExchange(at now: MonotonicInstant) {
        machine.hold(at: now)
    }

    /// Answers a request that may not have been read completely, and closes the connection.
    package func refuse(_ answer: HTTPAnswer) {
        machine.endAfterAnswer()
        self.answer(answer)
        resume()
    }

    package func answer(_ answer: HTTPAnswer) {
        if answer.status >= 400 { loop.state.counters.requestsRefused += 1 }
        loop.state.figures.requests.count(kind, status: answer.status)
        var buffer = ByteBuffer()
        let date = loop.state.date(at: core.settings.clock.unixSeconds())
        answer.write(to: &buffer, isLast: closesAfterAnswer, toHead: machine.isToHead, date: date, core.crossOrigin, page)
        let now = core.now
        let time = now.nanoseconds - machine.since.nanoseconds
        loop.state.figures.requestTimes.observe(kind, nanoseconds: time)
        core.logger.debug("request answered", metadata: logMetadata(status: answer.status, nanoseconds: time))
        if answer.status >= 400 { logRefusal(answer, nanoseconds: time) }
        endSpan(status: answer.status)
        send(buffer, isLast: closesAfterAnswer, at: now, answer.reservation)
    }

    /// Whether the connection closes after the answer to this request.
    package var closesAfterAnswer: Bool { machine.isLastRequest || loop.state.isDraining }

    /// Writes a complete answer. The caller, or ``resume()``, has to flush. An answer outside of a read is sent at once; answers
    /// within a read are sent together.
    ///
    /// - Parameter reservation: the reservation of a large body; it is kept until the body is sent.
    package func send(
        _ bytes: ByteBuffer, isLast: Bool, at now: MonotonicInstant, _ reservation: BodyReservation? = nil
    ) {
        guard let context, let writing = machine.answered(isLast: isLast, at: now) else { return }
        loop.state.counters.requests += 1
        // The exchange sends the answer of a poll.
        endSpan(status: 200)
        content = .none
        body = []
        incoming = nil
        smallBody = nil
        var bytes = bytes
        if writing == .direct {
            bytes.moveReaderIndex(forwardBy: socket.send(bytes, on: context.channel))
            if bytes.readableBytes == 0 { return }
            machine.leftRest()
        }
        socket.usesQueue()
        let mustClose = writing == .queuedThenClose
        guard mustClose || reservation != nil else { return context.write(wrapOutboundOut(bytes), promise: nil) }
        let large = reservation.map { LargeBody($0) }
        if let large {
            outgoing = large
            // By default the system would buffer megabytes for a peer that reads nothing, and hide the progress of one that reads slowly.
            try? context.channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: Self.largeBodySendBuffer)
        }
        context.write(wrapOutboundOut(bytes)).assumeIsolated().whenComplete { [self, context] _ in
            if let large, outgoing === large { outgoing = nil }
            if mustClose { context.close(promise: nil) }
        }
    }

    /// Continues after an answer outside of a read.
    package func resume() {
        guard !machine.isInRead else { return }
        flushIfNeeded()
        guard unread.readableBytes > 0 || parser != nil else { return }
        machine.isInRead = true
        readWaiting()
        machine.isInRead = false
        flushIfNeeded()
    }

    func flushIfNeeded() {
        if machine.takeFlush() { context?.flush() }
    }
}
