import NIOCore
import NIOHTTP1
import TransportCommon

/// Sits on every connection of a pool, next to the HTTP library's own handler: ties an exchange to its connection, lets each
/// request leave in one write, and notices the first byte of an answer (rules HT-8 and HT-10).
final class ExchangeHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private enum Writing {
        case nothing
        /// Head or body are written and the end is not: nothing is flushed.
        case request
        /// Nothing of this request may be written; the connection is being closed.
        case refused
    }

    private let pending: PendingExchanges
    private var context: ChannelHandlerContext?
    private var current: ExchangeRun?
    private var writing = Writing.nothing
    private var isFlushScheduled = false
    private var hasUnreportedBytes = false
    /// Whom the server's certificate names, until a request has said whom it has to; nil without TLS.
    private var names: (@Sendable (String) -> Bool)?
    /// What a request is refused for, besides that nobody waits for it.
    private var fault: CertificateFault?
    /// How many requests were written to this connection.
    private(set) var uses = 0

    init(pending: PendingExchanges) {
        self.pending = pending
    }

    /// Adds the handler and its look-out for bytes to a connection that the HTTP library has set up. Call on the loop.
    static func install(in pipeline: ChannelPipeline.SynchronousOperations, pending: PendingExchanges) throws -> ExchangeHandler {
        let handler = ExchangeHandler(pending: pending)
        handler.names = pipeline.peerNames
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(ByteLookout(handler), position: .before(decoder))
        try pipeline.addHandler(handler, position: .after(decoder))
        return handler
    }

    /// Closes the connection if no exchange uses it.
    func closeIfIdle() {
        if current == nil, writing == .nothing { context?.close(promise: nil) }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        current = nil
    }

    // MARK: Requests

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            guard begin(&head) else { return refuse(context, promise) }
            writing = .request
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body(let body):
            if writing == .refused { return refuse(context, promise) }
            context.write(wrapOutboundOut(.body(body)), promise: promise)
        case .end(let trailers):
            if writing == .refused { return refuse(context, promise) }
            writing = .nothing
            context.write(wrapOutboundOut(.end(trailers)), promise: promise)
        }
    }

    func flush(context: ChannelHandlerContext) {
        switch writing {
        case .nothing: context.flush()
        case .refused: return
        case .request:
            // A body that comes in pieces must not wait for its end for ever.
            guard !isFlushScheduled else { return }
            isFlushScheduled = true
            context.eventLoop.assumeIsolated().execute {
                self.isFlushScheduled = false
                if self.writing == .request { self.context?.flush() }
            }
        }
    }

    /// Ties the exchange of `head` to this connection. False when the request must not be written.
    private func begin(_ head: inout HTTPRequestHead) -> Bool {
        current = nil
        hasUnreportedBytes = false
        guard isMeant(head) else { return false }
        if let number = head.headers.first(name: PendingExchanges.field) {
            head.headers.remove(name: PendingExchanges.field)
            guard let run = UInt64(number).flatMap({ pending.take($0) })?.value else { return false }
            guard run.begin(on: self, isReused: uses > 0) else { return false }
            head.uri = run.exchange.target
            current = run
        }
        uses += 1
        return true
    }

    /// Whether the certificate is for the host of the request. All requests of a connection have the same.
    ///
    /// Here, because the HTTP library tells nobody whom a connection leads to before it has a request.
    private func isMeant(_ head: HTTPRequestHead) -> Bool {
        guard let names else { return true }
        var host = Substring(head.headers.first(name: "Host") ?? "")
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
            host = host[..<end].dropFirst()
        } else {
            host = host.prefix { $0 != ":" }
        }
        guard names(String(host)) else {
            fault = .wrongName
            return false
        }
        self.names = nil
        return true
    }

    private func refuse(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        if let fault { promise?.fail(fault) } else { promise?.fail(ChannelError.ioOnClosedChannel) }
        guard writing != .refused else { return }
        writing = .refused
        // Later, since the HTTP library is in the middle of writing.
        context.eventLoop.assumeIsolated().execute {
            if let fault = self.fault { self.context?.fireErrorCaught(fault) }
            self.context?.close(promise: nil)
        }
    }

    // MARK: Answers

    /// Bytes of the peer arrived, perhaps not enough for a part of an answer.
    func heardBytes() {
        guard let current else { return }
        current.heardBytes()
        hasUnreportedBytes = true
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Before the part goes on, because its reader may write the next request at once.
        if case .end = unwrapInboundIn(data) {
            current = nil
            hasUnreportedBytes = false
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        let heard = hasUnreportedBytes ? current : nil
        hasUnreportedBytes = false
        context.fireChannelReadComplete()
        heard?.heard()
    }

    func channelInactive(context: ChannelHandlerContext) {
        current = nil
        context.fireChannelInactive()
    }
}

/// Tells an ``ExchangeHandler`` about bytes, below the HTTP parser, which keeps unfinished heads to itself.
private final class ByteLookout: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let handler: ExchangeHandler

    init(_ handler: ExchangeHandler) {
        self.handler = handler
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        handler.heardBytes()
        context.fireChannelRead(data)
    }
}
