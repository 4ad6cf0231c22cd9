import ConnectionEngine
import NIOCore
import NIOHTTP1
import TransportCommon
import WebSocketFraming

/// Sends the upgrade request on a connection that is ready for it, checks the answer, and is then replaced by the frame handler.
final class UpgradeHandler<Decoder: WebSocketDecoder>: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private enum Stage {
        /// The handler has not been added to the pipeline yet.
        case starting
        case asked
        /// The head of a valid answer to the upgrade request has arrived; the end of the answer has not.
        case accepted
        /// The upgrade has succeeded or failed.
        case over
    }

    private let request: UpgradeRequest
    private let attempt: WebSocketAttempt<Decoder>
    private let frames: FrameHandler<Decoder>
    private let gate: AnswerGate
    private let encoder: HTTPRequestEncoder
    private let decoder: ByteToMessageHandler<HTTPResponseDecoder>
    private var stage = Stage.starting

    init(
        request: UpgradeRequest, attempt: WebSocketAttempt<Decoder>, frames: FrameHandler<Decoder>, gate: AnswerGate,
        encoder: HTTPRequestEncoder, decoder: ByteToMessageHandler<HTTPResponseDecoder>
    ) {
        self.request = request
        self.attempt = attempt
        self.frames = frames
        self.gate = gate
        self.encoder = encoder
        self.decoder = decoder
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { ask(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        ask(context)
        context.fireChannelActive()
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

    /// Replaces the HTTP handlers by the frame handler. The HTTP decoder is removed asynchronously, and would process bytes that arrive
    /// until then. Therefore the gate passes bytes that follow the answer to the frame handler, which stores them until the decoder has
    /// been removed.
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
            fail(
                ConnectionFailure(
                    .networkUnavailable, "The server closed the connection in the middle of its answer to the WebSocket upgrade."),
                context)
        } else if error is HTTPParserError {
            fail(
                ConnectionFailure(.malformedResponse, "The server's answer to the WebSocket upgrade is not valid HTTP."), context)
        } else {
            fail(.dialling(error), context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(
            ConnectionFailure(.networkUnavailable, "The server closed the connection before it answered the WebSocket upgrade."),
            context)
        context.fireChannelInactive()
    }

    private func fail(_ failure: ConnectionFailure, _ context: ChannelHandlerContext) {
        guard stage != .over else { return }
        stage = .over
        attempt.finish(failure)
        context.close(promise: nil)
    }
}
