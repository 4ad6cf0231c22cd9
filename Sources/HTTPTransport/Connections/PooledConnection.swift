import ConnectionEngine
import NIOCore
import NIOHTTP1
import TransportCommon

/// One connection of a pool: writes a request, reads its answer, and can then be used for the next one. On one event loop.
///
/// Each request is sent in one write, and every byte of an answer is recorded, also incomplete parts (rules HT-8 and HT-10).
final class PooledConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private enum Stage {
        /// The handler is not in the pipeline of its channel yet.
        case starting
        case open
        /// The connection was removed from the pool; it neither writes nor reads.
        case closed
    }

    /// Bodies up to this size are in the kernel's buffer before an answer can arrive; only for longer ones this is checked.
    private static let checkedBody = 1 << 16

    let origin: OriginConnections
    private var stage = Stage.starting
    private var context: ChannelHandlerContext?
    private var run: ExchangeRun?
    /// Whether the answer is complete; reported at the end of the read.
    private var isComplete = false
    /// Whether the connection may carry another request, as far as is known.
    private var keepsAlive = true
    /// Whether the whole request is in the kernel's buffer.
    private var isWritten = true
    private var hasUnreportedBytes = false
    /// The time since which the connection has been unused; set by the pool.
    var idleSince = NIODeadline.uptimeNanoseconds(0)
    /// How many requests were written to this connection.
    private(set) var uses = 0

    init(origin: OriginConnections) {
        self.origin = origin
    }

    /// Adds HTTP and the handler to a channel that is ready for requests, and starts reading. Call on the loop.
    func install(on channel: any Channel) throws {
        guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers([
            ByteLookout(self), HTTPRequestEncoder(), ByteToMessageHandler(HTTPResponseDecoder()), self,
        ])
        try channel.syncOptions?.setOption(.autoRead, value: true)
        // Reading may have detected the end of the connection.
        guard stage == .starting, channel.isActive else { throw ChannelError.ioOnClosedChannel }
        stage = .open
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: The beginning and the end

    /// Ends the connection. The exchange in progress fails.
    func fail(_ error: any Error) {
        // Closing calls this method again with a less specific error.
        let run = run
        self.run = nil
        close()
        run?.failed(error)
    }

    /// Removes the connection from the pool and closes it.
    func close() {
        guard stage != .closed else { return }
        let wasOpen = stage == .open
        stage = .closed
        context?.close(promise: nil)
        if wasOpen { origin.pool?.removed(self) }
    }

    /// Closes the connection if no exchange uses it.
    func closeIfIdle() {
        if run == nil { close() }
    }

    // MARK: Requests

    /// Whether a request can be written now.
    var isUsable: Bool { stage == .open && run == nil && context?.channel.isActive == true }

    /// Writes a request. The connection has to be usable.
    func start(_ run: ExchangeRun) {
        guard let context, run.begin(on: self, isReused: uses > 0) else { return }
        self.run = run
        isComplete = false
        hasUnreportedBytes = false
        uses += 1
        keepsAlive = run.exchange.headers.isEmpty || run.head.isKeepAlive
        context.write(wrapOutboundOut(.head(run.head)), promise: nil)
        let body = run.exchange.body
        if !body.isEmpty { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil) }
        guard body.count > Self.checkedBody else { return context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil) }
        isWritten = false
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in self.isWritten = true }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }

    // MARK: Answers

    /// Handles received bytes, which may be less than a part of an answer.
    fileprivate func heardBytes() {
        guard let run, !isComplete else {
            // These bytes do not answer any request.
            keepsAlive = false
            if run == nil, stage == .open { close() }
            return
        }
        run.heardBytes()
        hasUnreportedBytes = true
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let run, !isComplete else {
            keepsAlive = false
            return
        }
        do throws(ExchangeFault) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                if !head.isKeepAlive { keepsAlive = false }
                try run.received(head)
            case .body(let part): try run.received(part)
            case .end: isComplete = true
            }
        } catch {
            fail(error)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isComplete {
            finish()
        } else if hasUnreportedBytes {
            hasUnreportedBytes = false
            run?.heard()
        }
        context.fireChannelReadComplete()
    }

    /// Returns the connection to the pool before the answer is delivered, because the receiver may make the next request at once.
    private func finish() {
        let run = run
        self.run = nil
        isComplete = false
        if let pool = origin.pool, keepsAlive, isWritten, isUsable { pool.released(self) } else { close() }
        run?.finished()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Bytes after a complete answer do not make it invalid.
        if isComplete { keepsAlive = false } else { fail(error) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        keepsAlive = false
        if isComplete { finish() }
        fail(ExchangeFault.cut)
        context.fireChannelInactive()
    }
}

extension PooledConnection: ExchangePlace {
    func abandoned(_ run: ExchangeRun) {
        guard self.run === run else { return }
        self.run = nil
        close()
    }
}

/// Reports received bytes to a connection from below the HTTP parser, which does not report incomplete heads.
private final class ByteLookout: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: PooledConnection

    init(_ connection: PooledConnection) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.heardBytes()
        context.fireChannelRead(data)
    }
}
