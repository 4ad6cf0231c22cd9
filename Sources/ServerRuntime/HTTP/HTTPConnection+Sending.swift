import NIOCore
import ServerValues

// Writing of answers to the socket.
extension HTTPConnection {
    /// The size in bytes of the system's send buffer for a peer that receives a large body.
    private static let largeBodySendBuffer: SocketOptionValue = 256 << 10

    /// Holds the request open: nothing is sent until the connection's ``HeldExchange`` answers the request.
    package func holdExchange(at now: MonotonicInstant) {
        machine.hold(at: now)
    }

    /// Answers a request, which may not have been read completely, and closes the connection.
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

    /// Writes a complete answer; the caller or ``resume()`` has to flush. While received bytes are being read, answers are collected and
    /// sent together; otherwise an answer is sent at once.
    ///
    /// - Parameter reservation: the reservation of a large body; it is released when the body has been sent.
    package func send(
        _ bytes: ByteBuffer, isLast: Bool, at now: MonotonicInstant, _ reservation: BodyReservation? = nil
    ) {
        guard let context, let writing = machine.answered(isLast: isLast, at: now) else { return }
        loop.state.counters.requests += 1
        // The span of a long poll ends here, because the ``HeldExchange`` that sends the answer does not end the span.
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
            // With its default size, the system's buffer would take megabytes for a peer that reads nothing, and would hide how slowly a
            // peer reads.
            try? context.channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: Self.largeBodySendBuffer)
        }
        context.write(wrapOutboundOut(bytes)).assumeIsolated().whenComplete { [self, context] _ in
            if let large, outgoing === large { outgoing = nil }
            if mustClose { context.close(promise: nil) }
        }
    }

    /// Flushes an answer that was made outside of a read, and then reads the next requests.
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
