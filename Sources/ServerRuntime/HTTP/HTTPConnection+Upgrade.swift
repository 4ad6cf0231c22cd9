import NIOCore
import NIOHTTP1
import ServerValues
import WebSocketFraming

extension HTTPConnection {
    /// A valid WebSocket handshake, and the service (``ServerFront``) that accepts the WebSocket.
    struct Upgrade {
        let front: any WebSocketFront
        let target: RequestTarget
        let handshake: ServerHandshake
        let visitor: RequestOrigin
    }

    // MARK: Reading

    /// Checks a handshake that the library's parser has read, and refuses the request if it is invalid.
    func beginUpgrade(_ head: HTTPRequestHead, _ target: RequestTarget) {
        do throws(ServerHandshake.Fault) {
            let isAtLeastHTTP11 = head.version == .http1_1
            guard let upgrade = try upgrade(target, method: head.method.rawValue, isAtLeastHTTP11, head.headers) else {
                return refuse(refusal(.notFound, head.uri))
            }
            begin(upgrade)
        } catch {
            var refusal = HTTPAnswer(
                HTTPProblem(error.status, "The method, version, key or upgrade fields of the WebSocket handshake are not valid."))
            refusal.fields = error.responseFields.filter { $0.name != "Connection" }
            refuse(refusal)
        }
    }

    /// Checks a handshake that was parsed in place; nil when it is invalid, in which case ``beginUpgrade(_:_:)`` determines the error.
    func upgrade(_ head: PlainRequestHead, fields: Range<Int>, in bytes: UnsafeRawBufferPointer) -> Upgrade? {
        guard let target = core.prefix.strip(UnsafeRawBufferPointer(rebasing: bytes[head.target])),
            let target = try? RequestTarget(parsing: target)
        else { return nil }
        return try? upgrade(target, method: "GET", true, PlainRequestHead.fields(bytes, in: fields))
    }

    private func upgrade(
        _ target: RequestTarget, method: String, _ isAtLeastHTTP11: Bool, _ fields: some Sequence<HeaderField>
    ) throws(ServerHandshake.Fault) -> Upgrade? {
        guard let (front, subprotocol) = host.webSocketFront(of: target.segments) else { return nil }
        let handshake = try ServerHandshake(
            method: method, isAtLeastHTTP11: isAtLeastHTTP11, fields: fields, subprotocols: [subprotocol])
        let visitor = RequestOrigin(
            fields, usesTLS: core.settings.usesTLS, address: context?.channel.remoteAddress?.ipAddress,
            trustsProxyHeaders: core.settings.trustsProxyHeaders)
        return Upgrade(front: front, target: target, handshake: handshake, visitor: visitor)
    }

    /// Begins the upgrade, unless the client's address has too many connections.
    func begin(_ upgrade: Upgrade) {
        if let context, !core.addresses.admit(named: upgrade.visitor.address, on: context.channel) {
            origin = upgrade.visitor.origin
            return refuse(HTTPAnswer(.tooManyConnections))
        }
        content = .upgrade(upgrade)
        machine.expectUpgrade()
    }

    // MARK: Answering

    /// Answers a handshake that the library's parser has read, and replaces this handler by the WebSocket's.
    func upgrade(_ upgrade: Upgrade, _ parser: RequestParser?) {
        guard let parser, let (context, connection) = answer(upgrade) else { return }
        replace(self: context, with: connection) { pipeline in
            // Removing the parser passes the bytes after the handshake on, without an event for the end of the read; so replies are flushed
            // here.
            pipeline.removeHandler(context: context, promise: nil)
            try parser.remove(from: pipeline).whenComplete { _ in connection.flushReplies() }
        }
    }

    /// Answers a handshake that was parsed in place. The bytes that the client sent after it go to the WebSocket.
    func upgrade(_ upgrade: Upgrade, behind bytes: ByteBuffer) {
        guard let (context, connection) = answer(upgrade) else { return }
        replace(self: context, with: connection) { pipeline in
            if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
            pipeline.removeHandler(context: context, promise: nil)
            connection.flushReplies()
        }
    }

    /// Answers the handshake and makes the WebSocket's handler. The service refuses a client later with a close code, because clients
    /// cannot see the status of a failed handshake.
    private func answer(_ upgrade: Upgrade) -> (ChannelHandlerContext, WebSocketConnection)? {
        guard let context else { return nil }
        // The client has not read earlier answers, so it would be too slow for a real-time connection.
        guard context.channel.isWritable else {
            context.close(promise: nil)
            return nil
        }
        var buffer = ByteBuffer()
        buffer.writeStaticString("HTTP/1.1 101 Switching Protocols\r\n")
        for field in upgrade.handshake.responseFields {
            buffer.writeString(field.name)
            buffer.writeStaticString(": ")
            buffer.writeString(field.value)
            buffer.writeStaticString("\r\n")
        }
        buffer.writeStaticString("\r\n")
        context.write(wrapOutboundOut(buffer), promise: nil)
        handOver()
        let visitor = upgrade.visitor
        core.logger.debug(
            "HTTP connection upgraded to WebSocket",
            metadata: [
                "connection": "\(loop.number)-\(serial)", "address": "\(visitor.address ?? "unknown")",
                "tls": "\(visitor.usesTLS)",
            ])
        let connection = upgrade.front.connection(upgrade.target, visitor, on: loop)
        connection.serial = serial
        return (context, connection)
    }

    private func replace(
        self context: ChannelHandlerContext, with connection: WebSocketConnection,
        _ takeOver: (ChannelPipeline.SynchronousOperations) throws -> Void
    ) {
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandler(connection, position: .last)
            try takeOver(pipeline)
        } catch {
            // The channel is closing. No other code would end the new handler, which counts as an open connection.
            connection.end()
            context.close(promise: nil)
        }
    }
}
