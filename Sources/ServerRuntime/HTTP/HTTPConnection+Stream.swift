import NIOCore
import ServerValues

// Answers without an end: events that a page listens to.
extension HTTPConnection {
    /// The connection's name in logs.
    package var name: String { "\(loop.number)-\(serial)" }

    /// How long the connection has been doing what it does, such as holding a request.
    package func elapsed(at now: MonotonicInstant) -> Duration { now.since(since) }

    /// The other end of the socket.
    package var remoteAddress: SocketAddress? { context?.channel.remoteAddress }

    /// Begins an answer whose body continues until the connection is closed.
    ///
    /// - Parameters:
    ///   - fields: free of line breaks.
    ///   - exchange: is called for time limits, for the server's stop, and at the end.
    package func beginStream(
        _ contentType: HTTPAnswer.ContentType, _ fields: [(name: String, value: String)], _ exchange: any HeldExchange
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

    /// Whether the peer reads as fast as it is sent to.
    package var canStream: Bool { context?.channel.isWritable == true && isHoldingExchange }

    /// Goes on with the body.
    package func stream(_ bytes: ByteBuffer) {
        guard isHoldingExchange else { return }
        context?.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }
}
