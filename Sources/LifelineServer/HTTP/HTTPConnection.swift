import NIOCore
import NIOHTTP1
import PusherProtocol
import RealtimeHub
import WebSocketFraming

/// A connection as long as it speaks HTTP: reads requests, answers them in order, or becomes a WebSocket.
///
/// Every answer is ready when its request is, so requests that come before the last answer need no queue.
final class HTTPConnection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case idle
        case reading(HTTPRequestHead, Result<(Route, RequestTarget), HTTPProblem>)
        case upgrading(ServerHandshake, RequestTarget)
        /// The last answer is out. Whatever still comes is dropped, so that the peer can read the answer.
        case closing
        case ended
    }

    private let core: ServerCore
    private let outlet: LoopOutlet
    private let decoder: ByteToMessageHandler<HTTPRequestDecoder>
    private var context: ChannelHandlerContext?
    private var phase = Phase.idle
    private var body: [UInt8] = []
    private var since: HubInstant
    private var isFirstRequest = true

    /// The place in ``LoopState/requesters``.
    var place = -1

    init(core: ServerCore, outlet: LoopOutlet, decoder: ByteToMessageHandler<HTTPRequestDecoder>) {
        self.core = core
        self.outlet = outlet
        self.decoder = decoder
        since = core.now
    }

    /// Limits of the parser: a head of 16 KiB in at most 64 fields.
    static func makeDecoder() -> ByteToMessageHandler<HTTPRequestDecoder> {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 8192
        limits.maxHeaderListSize = 16_384
        limits.maxHeaderFieldCount = 64
        let decoder = HTTPRequestDecoder(
            leftOverBytesStrategy: .forwardBytes, informationalResponseStrategy: .drop, limitConfiguration: limits)
        return ByteToMessageHandler(decoder, maximumBufferSize: 65_536)
    }

    // MARK: Life

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        outlet.state.add(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .ended = phase { return }
        leave()
        core.admission.withLockedValue { $0.closeSocket() }
    }

    /// A peer that asks faster than it reads the answers is not read from until it has caught up.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        let channel = context.channel
        channel.setOption(.autoRead, value: channel.isWritable).whenFailure { _ in channel.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError || error is NIOHTTPDecoderError || error is ByteToMessageDecoderError else {
            return context.close(promise: nil)
        }
        answer(HTTPAnswer(.malformedRequest), isLast: true)
        context.flush()
    }

    private func leave() {
        phase = .ended
        context = nil
        outlet.state.remove(self)
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head)
        case .body(let bytes): take(bytes)
        case .end: finish()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
    }

    private func begin(_ head: HTTPRequestHead) {
        guard case .idle = phase else { return }
        since = core.now
        isFirstRequest = false
        let target: RequestTarget
        do throws(HTTPProblem) {
            target = try RequestTarget(parsing: head.uri)
        } catch {
            phase = .reading(head, .failure(error))
            return
        }
        if ServerHandshake.isUpgrade(head.headers) { return beginUpgrade(head, target) }
        let limit = core.configuration.maximumRequestBytes
        if let length = head.headers.first(name: "content-length").flatMap({ Int($0) }), length > limit {
            return answer(HTTPAnswer(.bodyTooLarge(limit: limit)), isLast: true)
        }
        do throws(HTTPProblem) {
            phase = .reading(head, .success((try Route(method: head.method.rawValue, segments: target.segments), target)))
        } catch {
            phase = .reading(head, .failure(error))
        }
        if head.headers[canonicalForm: "expect"].contains(where: { $0.lowercased() == "100-continue" }) {
            context?.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
        }
    }

    private func take(_ bytes: ByteBuffer) {
        guard case .reading = phase else { return }
        let limit = core.configuration.maximumRequestBytes
        guard body.count + bytes.readableBytes <= limit else {
            return answer(HTTPAnswer(.bodyTooLarge(limit: limit)), isLast: true)
        }
        body.append(contentsOf: bytes.readableBytesView)
    }

    private func finish() {
        switch phase {
        case .idle, .closing, .ended: return
        case .upgrading(let handshake, let target): upgrade(handshake, target)
        case .reading(let head, let request):
            let result: HTTPAnswer
            do throws(HTTPProblem) {
                let (route, target) = try request.get()
                let request = RESTRequest(method: head.method.rawValue, target: target, body: body)
                result = try RESTService(core: core).answer(request, route)
            } catch {
                result = HTTPAnswer(error)
            }
            let isDraining = core.admission.withLockedValue(\.isDraining)
            // After a request that offers an upgrade the parser stops, so the connection cannot be used again.
            let isLast = !head.isKeepAlive || isDraining || head.headers.contains(name: "upgrade")
            answer(result, isLast: isLast, isComplete: true, toHead: head.method == .HEAD)
        }
    }

    // MARK: Answering

    /// - Parameter isComplete: whether the request has been read to its end, so that closing cannot cut the answer off.
    private func answer(_ answer: HTTPAnswer, isLast: Bool, isComplete: Bool = false, toHead: Bool = false) {
        guard let context else { return }
        if case .closing = phase { return }
        outlet.state.counters.requests += 1
        if answer.status >= 400 { outlet.state.counters.requestsRefused += 1 }
        body = []
        since = core.now
        phase = isLast ? .closing : .idle
        var buffer = ByteBuffer()
        answer.write(to: &buffer, isLast: isLast, toHead: toHead)
        guard isLast, isComplete else { return context.write(wrapOutboundOut(buffer), promise: nil) }
        context.write(wrapOutboundOut(buffer)).assumeIsolated().whenComplete { [context] _ in context.close(promise: nil) }
    }

    /// What time alone brings (rules SV-5, SV-6).
    func sweep(at now: HubInstant) {
        let configuration = core.configuration
        let elapsed = now.since(since)
        switch phase {
        case .ended: return
        case .idle:
            if elapsed >= (isFirstRequest ? configuration.requestTimeout : configuration.keepAliveTimeout) {
                context?.close(promise: nil)
            }
        case .reading, .upgrading:
            guard elapsed >= configuration.requestTimeout else { return }
            answer(HTTPAnswer(.timeout), isLast: true)
            context?.flush()
        case .closing:
            if elapsed >= configuration.closeTimeout { context?.close(promise: nil) }
        }
    }

    /// Ends a connection whatever it does.
    func cut() {
        context?.close(promise: nil)
    }

    /// Ends a connection that waits for a request.
    func drain() {
        if case .idle = phase { context?.close(promise: nil) }
    }
}

// MARK: - Becoming a WebSocket

extension HTTPConnection {
    private func beginUpgrade(_ head: HTTPRequestHead, _ target: RequestTarget) {
        do throws(ServerHandshake.Fault) {
            let handshake = try ServerHandshake(
                method: head.method.rawValue, isAtLeastHTTP11: head.version == .http1_1, fields: head.headers,
                subprotocols: [PusherWire.subprotocol])
            phase = .upgrading(handshake, target)
        } catch {
            var refusal = HTTPAnswer(HTTPProblem(error.status, "The WebSocket handshake is not valid."))
            refusal.fields = error.responseFields.filter { $0.name != "Connection" }
            answer(refusal, isLast: true)
        }
    }

    /// Answers the handshake and hands the channel over. Refusals come afterwards, as close codes, because clients cannot see
    /// the status of a failed handshake.
    private func upgrade(_ handshake: ServerHandshake, _ target: RequestTarget) {
        guard let context else { return }
        // Behind answers that nobody reads there is no room for a connection that has to be quick.
        guard context.channel.isWritable else { return context.close(promise: nil) }
        let pipeline = context.pipeline.syncOperations
        let connection = PusherConnection(core: core, outlet: outlet, opening: admit(target), at: core.now)
        var buffer = ByteBuffer()
        buffer.writeString("HTTP/1.1 101 Switching Protocols\r\n")
        for field in handshake.responseFields { buffer.writeString("\(field.name): \(field.value)\r\n") }
        buffer.writeString("\r\n")
        context.write(wrapOutboundOut(buffer), promise: nil)
        leave()
        do {
            try pipeline.addHandler(connection, position: .last)
            pipeline.removeHandler(context: context, promise: nil)
            // What the client sent behind its handshake comes out of the decoder when it is removed, and nothing says that the
            // reading is complete then.
            let decoderContext = try pipeline.context(handler: decoder)
            pipeline.removeHandler(context: decoderContext).assumeIsolated().whenComplete { _ in connection.flushReplies() }
        } catch {
            // The channel is closing: nobody else would give the connection's place back.
            connection.end()
            context.close(promise: nil)
        }
    }

    private func admit(_ target: RequestTarget) -> Result<SharedApplication, PusherFarewell> {
        Result { () throws(PusherFarewell) in
            let application = try PusherAdmission.application(for: target, among: core.configuration.applications)
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
