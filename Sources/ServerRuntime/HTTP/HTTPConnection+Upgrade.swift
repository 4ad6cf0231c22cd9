import NIOCore
import NIOHTTP1
import RealtimeHub
import WebSocketFraming

extension HTTPConnection {
    func beginUpgrade(_ head: HTTPRequestHead, _ target: RequestTarget) {
        do throws(ServerHandshake.Fault) {
            let handshake = try ServerHandshake(
                method: head.method.rawValue, isAtLeastHTTP11: head.version == .http1_1, fields: head.headers,
                subprotocols: [isChat(target) ? NexconnWire.subprotocol : PusherWire.subprotocol])
            phase = .upgrading(handshake, target, visitor(head))
        } catch {
            var refusal = HTTPAnswer(HTTPProblem(error.status, "The WebSocket handshake is not valid."))
            refusal.fields = error.responseFields.filter { $0.name != "Connection" }
            refuse(refusal)
        }
    }

    /// Answers the handshake and hands the channel over. Refusals come afterwards, as close codes, because clients cannot see
    /// the status of a failed handshake.
    func upgrade(_ handshake: ServerHandshake, _ target: RequestTarget, _ visitor: Visitor, _ parser: RequestParser?) {
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
        if isChat(target) {
            let connection = NexconnConnection(core: core, outlet: outlet, at: core.now)
            replace(self: context, with: connection, parser, flush: connection.flushReplies, end: connection.end)
        } else {
            let connection = PusherConnection(
                core: core, outlet: outlet, opening: admit(target, visitor), knowsPings: PusherAdmission.knowsPings(target),
                at: core.now)
            replace(self: context, with: connection, parser, flush: connection.flushReplies, end: connection.end)
        }
    }

    private func replace(
        self context: ChannelHandlerContext, with connection: any ChannelHandler, _ parser: RequestParser,
        flush: @escaping () -> Void, end: () -> Void
    ) {
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandler(connection, position: .last)
            pipeline.removeHandler(context: context, promise: nil)
            // What the client sent behind its handshake comes out of the parser when it is removed, and nothing says that the
            // reading is complete then.
            try parser.remove(from: pipeline).whenComplete { _ in flush() }
        } catch {
            // The channel is closing: nobody else would give the connection's place back.
            end()
            context.close(promise: nil)
        }
    }

    /// Whether a WebSocket at this target is a chat session; all others are for the Pusher front to judge.
    private func isChat(_ target: RequestTarget) -> Bool {
        target.segments == ["nexconn", "v1"]
    }

    private func visitor(_ head: HTTPRequestHead) -> Visitor {
        Visitor(
            head.headers, usesTLS: core.configuration.tls != nil, address: context?.remoteAddress?.ipAddress,
            trustsProxyHeaders: core.configuration.trustsProxyHeaders)
    }

    private func admit(_ target: RequestTarget, _ visitor: Visitor) -> Result<SharedApplication, PusherFarewell> {
        Result { () throws(PusherFarewell) in
            let application = try PusherAdmission.application(
                for: target, of: visitor, among: core.configuration.applications)
            let verdict = core.admission.withLockedValue {
                $0.open(application: application.id, limit: application.limits.connections)
            }
            switch verdict {
            case .admitted: return core.share(application)
            case .overCapacity: throw .overCapacity
            case .overQuota: throw .overQuota
            case .draining: throw .draining
            }
        }
    }
}
