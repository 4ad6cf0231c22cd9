import NIOCore
import ServerValues

// Answers without an end: server-sent events for web pages.
extension HTTPConnection {
    /// The connection's name in logs.
    package var name: String { "\(loop.number)-\(serial)" }

    /// How long the connection has been in its current phase, such as holding a request.
    package func elapsed(at now: MonotonicInstant) -> Duration { now.since(machine.since) }

    /// The remote address of the socket.
    package var remoteAddress: SocketAddress? { context?.channel.remoteAddress }

    /// Starts an answer whose body continues until the connection is closed.
    ///
    /// - Parameters:
    ///   - fields: header fields without line breaks.
    ///   - exchange: receives time limits, the server's stop, and the end of the connection.
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

    /// Whether the peer reads as fast as data is sent.
    package var canStream: Bool { context?.channel.isWritable == true && isHoldingExchange }

    /// Sends a part of the body.
    package func stream(_ bytes: ByteBuffer) {
        guard isHoldingExchange else { return }
        context?.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }
}
