import NIOCore
import NIOHTTP1
import ServerValues
import WebSocketFraming

extension HTTPConnection {
    func beginUpgrade(_ head: HTTPRequestHead, _ target: RequestTarget) {
        guard let (_, subprotocol) = host.webSocketFront(of: target.segments) else {
            return refuse(refusal(.notFound, head.uri))
        }
        do throws(ServerHandshake.Fault) {
            let handshake = try ServerHandshake(
                method: head.method.rawValue, isAtLeastHTTP11: head.version == .http1_1, fields: head.headers,
                subprotocols: [subprotocol])
            let visitor = visitor(head)
            if let context, !core.addresses.admit(named: visitor.address, on: context.channel) {
                return refuse(HTTPAnswer(.tooManyConnections))
            }
            phase = .upgrading(handshake, target, visitor)
        } catch {
            var refusal = HTTPAnswer(HTTPProblem(error.status, "The WebSocket handshake is not valid."))
            refusal.fields = error.responseFields.filter { $0.name != "Connection" }
            refuse(refusal)
        }
    }

    /// Answers the handshake and hands the channel over. Refusals come afterwards, as close codes, because clients cannot see
    /// the status of a failed handshake.
    func upgrade(_ handshake: ServerHandshake, _ target: RequestTarget, _ visitor: RequestOrigin, _ parser: RequestParser?) {
        guard let context, let parser else { return }
        // Behind answers that nobody reads there is no room for a connection that has to be quick.
        guard context.channel.isWritable else { return context.close(promise: nil) }
        var buffer = ByteBuffer()
        buffer.writeString("HTTP/1.1 101 Switching Protocols\r\n")
        for field in handshake.responseFields { buffer.writeString("\(field.name): \(field.value)\r\n") }
        buffer.writeString("\r\n")
        context.write(wrapOutboundOut(buffer), promise: nil)
        handOver()
        core.logger.debug("upgraded", metadata: ["address": "\(visitor.address ?? "unknown")", "tls": "\(visitor.usesTLS)"])
        guard let (front, _) = host.webSocketFront(of: target.segments) else { return }
        replace(self: context, with: front.connection(target, visitor, on: loop), parser)
    }

    private func replace(
        self context: ChannelHandlerContext, with connection: any UpgradedConnection, _ parser: RequestParser
    ) {
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandler(connection, position: .last)
            pipeline.removeHandler(context: context, promise: nil)
            // What the client sent behind its handshake comes out of the parser when it is removed, and nothing says that the
            // reading is complete then.
            try parser.remove(from: pipeline).whenComplete { _ in connection.flushReplies() }
        } catch {
            // The channel is closing: nobody else would give the connection's place back.
            connection.end()
            context.close(promise: nil)
        }
    }

    private func visitor(_ head: HTTPRequestHead) -> RequestOrigin {
        RequestOrigin(
            head.headers, usesTLS: core.settings.usesTLS, address: context?.channel.remoteAddress?.ipAddress,
            trustsProxyHeaders: core.settings.trustsProxyHeaders)
    }
}
