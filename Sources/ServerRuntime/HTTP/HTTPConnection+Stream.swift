import NIOCore
import ServerValues

// Answers whose body does not end: server-sent events for web pages.
extension HTTPConnection {
    /// Identifies the connection in logs, by event loop and serial number.
    package var name: String { "\(loop.number)-\(serial)" }

    /// How long the connection has been in its current phase, such as holding a request.
    package func elapsed(at now: MonotonicInstant) -> Duration { now.since(machine.since) }

    /// The remote address of the socket.
    package var remoteAddress: SocketAddress? { context?.channel.remoteAddress }

    /// Starts an answer whose body continues until the connection is closed.
    ///
    /// - Parameters:
    ///   - fields: header fields without line breaks.
    ///   - exchange: is called for time limits, when the server stops, and when the connection ends.
    package func beginStream(
        _ contentType: HTTPAnswer.ContentType, fields: [(name: String, value: String)], exchange: any HeldExchange
    ) {
        guard let context else { return }
        use(exchange)
        holdExchange(at: core.now)
        loop.state.counters.requests += 1
        loop.state.figures.requests.count(kind, status: 200)
        var buffer = ByteBuffer()
        buffer.writeString("HTTP/1.1 200 OK\r\ndate: \(loop.state.date(at: core.settings.clock.unixSeconds()))\r\n")
        buffer.writeString("content-type: \(contentType.rawValue)\r\n")
        for field in fields { buffer.writeString("\(field.name): \(field.value)\r\n") }
        buffer.writeStaticString("connection: close\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    /// Whether the streamed answer is open, and the peer reads as fast as data is sent.
    package var canStream: Bool { context?.channel.isWritable == true && isHoldingExchange }

    /// Sends the next bytes of a streamed body.
    package func stream(_ bytes: ByteBuffer) {
        guard isHoldingExchange else { return }
        context?.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }
}
