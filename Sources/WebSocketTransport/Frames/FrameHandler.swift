import ConnectionEngine
import EngineRuntime
import NIOCore
import TransportCommon
import WebSocketFraming

/// The last handler of an open connection. It decodes received bytes into the session's values, and encodes the session's frames. Used on
/// one event loop.
final class FrameHandler<Decoder: WebSocketDecoder>: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Stage {
        /// The HTTP handlers are still in the pipeline; received bytes are stored in `early`.
        case waiting
        case open
        /// This side has sent its close frame and waits for the close frame of the peer.
        case closing
        /// The end of the connection has been reported. Bytes that still arrive are ignored until the peer closes the connection.
        case draining
    }

    private let attempt: WebSocketAttempt<Decoder>
    private let configuration: WebSocketTransportConfiguration
    private var decoder: Decoder
    private var receiver: WebSocketReceiver
    private var writer = WebSocketFrameWriter(role: .client)

    private var context: ChannelHandlerContext?
    private var stage = Stage.waiting
    /// Whether the HTTP handlers have been removed from the pipeline, so that frames can be written.
    private var canWrite = false
    /// Bytes that arrived while the HTTP handlers were being removed.
    private var early = ByteBuffer()
    private var received: [Decoder.Inbound] = []
    private var heardBytes = false
    /// The payload of the last unanswered ping. It is answered when the peer reads again (rule WT-13).
    private var pendingPong: [UInt8]?
    private var error: (any Error)?
    private var closeTimer: Scheduled<Void>?
    private var partial = PartialMessageClock()
    private var partialTimer: Scheduled<Void>?

    init(attempt: WebSocketAttempt<Decoder>, decoder: Decoder, configuration: WebSocketTransportConfiguration) {
        self.attempt = attempt
        self.decoder = decoder
        self.configuration = configuration
        receiver = WebSocketReceiver(role: .client, limits: configuration.limits)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        closeTimer?.cancel()
        partialTimer?.cancel()
    }

    /// Stores bytes that arrive while the HTTP handlers are being removed.
    func keepForStart(_ buffer: inout ByteBuffer) {
        early.writeBuffer(&buffer)
    }

    /// Called when the HTTP handlers have been removed. Reports `opened`, and then the frames in the bytes that have arrived early.
    func start() {
        canWrite = true
        begin()
    }

    private func begin() {
        guard stage == .waiting, let context else { return }
        stage = .open
        attempt.opened(self, on: context.channel)
        if early.readableBytes > 0 {
            read(&early)
            early = ByteBuffer()
            finishRead()
        }
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        switch stage {
        case .waiting: keepForStart(&buffer)
        case .open, .closing: read(&buffer)
        case .draining: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if stage != .waiting { finishRead() }
        context.fireChannelReadComplete()
    }

    private func read(_ buffer: inout ByteBuffer) {
        heardBytes = true
        var goodbye: ConnectionFailure?
        var code: WebSocketCloseCode?
        var answers = ByteBuffer()
        do throws(WebSocketViolation) {
            try receiver.receive(&buffer) { event in
                switch event {
                case .text(let bytes):
                    partial.messageEnded()
                    decoder.text(bytes, into: &received)
                case .binary(let bytes):
                    partial.messageEnded()
                    if let inbound = decoder.binary(bytes) { received.append(inbound) }
                // Pings and pongs do not end a fragmented message: they may arrive between its fragments.
                case .pong(let bytes): if let inbound = decoder.pong(bytes) { received.append(inbound) }
                case .ping(let bytes): answerPing(bytes, &answers)
                case .close(let sent, let reason):
                    goodbye = .closeFrame(sent, reason: reason)
                    code = sent
                }
            }
        } catch {
            goodbye = ConnectionFailure(.malformedResponse, error.description, origin: .server)
            code = error.closeCode
        }
        if answers.readableBytes > 0 { write(answers) }
        guard let goodbye else { return }
        flushReceived()
        // The peer's close frame is answered with a close frame, unless this side has already sent one.
        if stage != .closing { sendClose(code) }
        end(stage == .closing && receiver.isFinished ? closedOnRequest(goodbye) : goodbye)
    }

    /// The outcome that is reported after a close that this side has requested: a disconnection on request, with the peer's close code.
    private func closedOnRequest(_ said: ConnectionFailure) -> ConnectionFailure {
        var failure = ConnectionFailure.disconnectedOnRequest
        failure.closeCode = said.closeCode
        return failure
    }

    private func answerPing(_ payload: UnsafeRawBufferPointer, _ answers: inout ByteBuffer) {
        guard stage == .open else { return }
        if context?.channel.isWritable ?? false {
            writer.writePong(payload, to: &answers)
        } else {
            pendingPong = Array(payload)
        }
    }

    /// Ends one read: reports all its messages together, and starts the time limit of an incomplete message.
    private func finishRead() {
        flushReceived()
        guard stage == .open || stage == .closing else { return }
        partial.readEnded(hasPartialMessage: receiver.hasPartialMessage, now: NIODeadline.now())
        if partialTimer == nil, let since = partial.since { watchPartialMessage(since) }
    }

    private func flushReceived() {
        if !received.isEmpty {
            let batch = received
            received.removeAll(keepingCapacity: batch.count <= 64)
            heardBytes = false
            attempt.report(.received(batch))
        } else if heardBytes {
            heardBytes = false
            attempt.report(.heard)
        }
    }

    private func watchPartialMessage(_ since: NIODeadline) {
        partialTimer = context?.eventLoop.assumeIsolated().scheduleTask(
            deadline: since + TimeAmount(configuration.messageTimeout)
        ) { [weak self] in
            guard let self else { return }
            partialTimer = nil
            guard let since = partial.since, stage == .open || stage == .closing else { return }
            if NIODeadline.now() < since + TimeAmount(configuration.messageTimeout) { return watchPartialMessage(since) }
            sendClose(.policyViolation)
            end(ConnectionFailure(.timeout, "A message from the server began, but was not complete in time."))
        }
    }

    // MARK: Writing

    /// Writes all queued frames with one write.
    func drain() {
        let outbound = attempt.takeOutbound()
        guard stage == .open, !outbound.isEmpty, let context else { return }
        var buffer = context.channel.allocator.buffer(capacity: 0)
        for frame in outbound {
            switch frame {
            case .text(let text): writer.writeText(text, to: &buffer)
            case .binary(let bytes): bytes.withUnsafeBytes { writer.writeBinary($0, to: &buffer) }
            case .ping(let payload): payload.withUnsafeBytes { writer.writePing($0, to: &buffer) }
            }
        }
        write(buffer)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, let payload = pendingPong {
            pendingPong = nil
            var buffer = ByteBuffer()
            payload.withUnsafeBytes { writer.writePong($0, to: &buffer) }
            write(buffer)
        }
        context.fireChannelWritabilityChanged()
    }

    private func write(_ buffer: ByteBuffer) {
        guard canWrite, let context else { return }
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    private func sendClose(_ code: WebSocketCloseCode?) {
        var buffer = ByteBuffer()
        writer.writeClose(code, to: &buffer)
        write(buffer)
    }

    // MARK: Ending

    /// Sends a close frame, and waits for the peer's close frame until the close timeout (rule WT-12).
    func sayGoodbye() {
        drain()
        guard stage == .open else { return }
        stage = .closing
        sendClose(.normal)
        hangUpLater()
    }

    /// Reports the end of the connection, then waits until the peer closes it or the close timeout has passed. If this side closed at once
    /// while the peer still sends, the connection would be reset and the close frame lost.
    private func end(_ failure: ConnectionFailure) {
        guard stage != .draining else { return }
        stage = .draining
        partialTimer?.cancel()
        attempt.finish(failure)
        hangUpLater()
    }

    private func hangUpLater() {
        closeTimer?.cancel()
        closeTimer = context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(configuration.closeTimeout)) { [weak self] in
            guard let self else { return }
            if stage == .closing { attempt.finish(.disconnectedOnRequest) }
            stage = .draining
            context?.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if self.error == nil { self.error = error }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // The server may close the connection right after its upgrade response, before the HTTP handlers have been removed from the
        // pipeline and `start()` was called. The connection is then reported as opened first, with the frames that arrived early.
        begin()
        flushReceived()
        attempt.finish(stage == .closing ? .disconnectedOnRequest : .lost(error))
        stage = .draining
        context.fireChannelInactive()
    }
}
