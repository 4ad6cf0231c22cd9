import ConnectionEngine
import NIOCore
import NIOHTTP1
import TransportCommon

/// One connection of a pool: it writes a request and reads the answer, and can then be used for the next request. Used on one event loop.
///
/// Each request is sent in one write, and the arrival of every byte of an answer is recorded, even of incomplete parts (rules HT-8 and
/// HT-10).
final class PooledConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private enum Stage {
        /// The handler has not been added to its channel's pipeline yet.
        case starting
        case open
        /// The connection was removed from the pool and is neither written to nor read.
        case closed
    }

    /// In bytes. After a request with a longer body, the connection is reused only if the request was completely written when the answer
    /// arrived. Shorter bodies fit into the kernel's buffer, so they are not checked.
    private static let checkedBody = 1 << 16

    let origin: OriginConnections
    private var stage = Stage.starting
    private var context: ChannelHandlerContext?
    private var run: ExchangeRun?
    /// Whether the answer to the current request is complete. It is reported when the current read ends.
    private var isComplete = false
    /// Whether the connection can carry another request, according to the requests and answers so far.
    private var keepsAlive = true
    /// Whether the current request has been written completely to the kernel's buffer.
    private var isWritten = true
    private var hasUnreportedBytes = false
    /// The time at which the connection became idle; set by the pool.
    var idleSince = NIODeadline.uptimeNanoseconds(0)
    /// The number of requests that were written to this connection.
    private(set) var uses = 0

    init(origin: OriginConnections) {
        self.origin = origin
    }

    /// Adds the HTTP handlers and this handler to a connected channel, and starts reading. Call on the event loop.
    func install(on channel: any Channel) throws {
        guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers([
            ByteLookout(self), HTTPRequestEncoder(), ByteToMessageHandler(HTTPResponseDecoder()), self,
        ])
        try channel.syncOptions?.setOption(.autoRead, value: true)
        // Starting to read may have shown that the peer has closed the connection.
        guard stage == .starting, channel.isActive else { throw ChannelError.ioOnClosedChannel }
        stage = .open
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: Opening and closing

    /// Closes the connection because of an error. The exchange in progress fails with this error.
    func fail(_ error: any Error) {
        // `run` is removed first, because closing calls this method again with a less specific error.
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

    /// Closes the connection unless an exchange uses it.
    func closeIfIdle() {
        if run == nil { close() }
    }

    // MARK: Requests

    /// Whether a request can be written to the connection now.
    var isUsable: Bool { stage == .open && run == nil && context?.channel.isActive == true }

    /// Writes a request. The connection must be usable.
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

    /// Handles received bytes, even if they are too few for the HTTP parser to report.
    fileprivate func heardBytes() {
        guard let run, !isComplete else {
            // Bytes without a request in progress are an error of the server, so the connection is not used again.
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

    /// Ends the exchange. The connection is returned to the pool before the answer is delivered, because the receiver may make its next
    /// request at once.
    private func finish() {
        let run = run
        self.run = nil
        isComplete = false
        if let pool = origin.pool, keepsAlive, isWritten, isUsable { pool.released(self) } else { close() }
        run?.finished()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // An error after a complete answer does not invalidate the answer; the connection is just not used again.
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

/// Reports received bytes before they reach the HTTP parser, because the parser does not report incomplete heads.
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
