import ConnectionEngine
import NIOCore
import NIOHTTP1
import NIOTLS
import TransportCommon
import WebSocketFraming

/// Sends the request once the connection is ready for it, judges the answer, and makes way for the frames.
final class UpgradeHandler<Decoder: WebSocketDecoder>: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private enum Stage {
        /// TCP, and TLS where it is used, is not ready.
        case starting
        case asked
        /// The head of a good answer is here.
        case accepted
        /// Success or failure has been decided.
        case over
    }

    private let request: UpgradeRequest
    private let tls: ClientTLS?
    private let attempt: WebSocketAttempt<Decoder>
    private let frames: FrameHandler<Decoder>
    private let gate: AnswerGate
    private let encoder: HTTPRequestEncoder
    private let decoder: ByteToMessageHandler<HTTPResponseDecoder>
    private var stage = Stage.starting

    init(
        request: UpgradeRequest, tls: ClientTLS?, attempt: WebSocketAttempt<Decoder>,
        frames: FrameHandler<Decoder>, gate: AnswerGate, encoder: HTTPRequestEncoder,
        decoder: ByteToMessageHandler<HTTPResponseDecoder>
    ) {
        self.request = request
        self.tls = tls
        self.attempt = attempt
        self.frames = frames
        self.gate = gate
        self.encoder = encoder
        self.decoder = decoder
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive && tls == nil { ask(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        if tls == nil { ask(context) }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event { checkCertificate(context) }
        context.fireUserInboundEventTriggered(event)
    }

    /// Nothing is sent to a peer whose certificate is not good enough (rule WT-7).
    private func checkCertificate(_ context: ChannelHandlerContext) {
        do {
            try tls?.check(context.pipeline.syncOperations)
            ask(context)
        } catch {
            fail(.dialling(error), context)
        }
    }

    private func ask(_ context: ChannelHandlerContext) {
        guard case .starting = stage else { return }
        stage = .asked
        context.write(wrapOutboundOut(.head(request.head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), stage) {
        case (.head(let head), .asked): judge(head, context)
        case (.end, .accepted): makeWay(context)
        default: break
        }
    }

    private func judge(_ head: HTTPResponseHead, _ context: ChannelHandlerContext) {
        guard head.status == .switchingProtocols else {
            let failure = ConnectionFailure.http(
                status: Int(head.status.code), retryAfter: head.headers.first(name: "Retry-After"),
                contentType: head.headers.first(name: "Content-Type"), unixTime: WallClock.unixTime)
            return fail(failure, context)
        }
        do throws(ClientHandshake.Fault) {
            _ = try request.handshake.check(head.headers)
            stage = .accepted
        } catch {
            fail(ConnectionFailure(.malformedResponse, error.description, httpStatus: 101), context)
        }
    }

    /// Replaces HTTP by frames. Bytes behind the answer wait at the frames' door until HTTP is gone: its decoder leaves in a
    /// later turn of the loop, and until then looks at everything that is written.
    private func makeWay(_ context: ChannelHandlerContext) {
        stage = .over
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandler(frames, position: .after(self))
        } catch {
            return fail(.dialling(error), context)
        }
        gate.sink = { [frames] in frames.keepForStart(&$0) }
        let ends = NIOLoopBound((pipeline, gate, frames), eventLoop: context.eventLoop)
        pipeline.removeHandler(encoder, promise: nil)
        pipeline.removeHandler(decoder).whenComplete { _ in
            let (pipeline, gate, frames) = ends.value
            pipeline.removeHandler(gate, promise: nil)
            gate.sink = nil
            frames.start()
        }
        pipeline.removeHandler(self, promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case HTTPParserError.invalidEOFState = error {
            fail(ConnectionFailure(.networkUnavailable, "The server hung up in the middle of its answer."), context)
        } else if error is HTTPParserError {
            fail(ConnectionFailure(.malformedResponse, "The answer is not HTTP."), context)
        } else {
            fail(.dialling(error), context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let words = tls != nil && stage == .starting ? "the TLS handshake was done" : "the upgrade was answered"
        fail(ConnectionFailure(.networkUnavailable, "The server hung up before \(words)."), context)
        context.fireChannelInactive()
    }

    private func fail(_ failure: ConnectionFailure, _ context: ChannelHandlerContext) {
        guard stage != .over else { return }
        stage = .over
        attempt.finish(failure)
        context.close(promise: nil)
    }
}
