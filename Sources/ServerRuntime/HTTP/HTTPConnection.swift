import NIOCore
import NIOHTTP1
import ServerValues

/// A connection that uses HTTP: reads requests, answers them in order, and may become a WebSocket.
///
/// One request at a time: later bytes wait while an answer is in progress, and beyond ``HTTPConnectionMachine/maximumUnreadBytes``
/// reading from the socket pauses (rule PV-2). ``HTTPConnectionMachine`` decides; this handler has the channel, the bytes and the
/// reservations, and performs its effects. Plain requests are parsed in place; for the first other request the HTTP library's parser
/// is inserted behind this handler and stays. Used on its event loop only, and small, because each held request has one.
package final class HTTPConnection: ChannelInboundHandler, RemovableChannelHandler, ListedConnection {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// The request that is being received.
    enum Content {
        case none
        case request(HTTPRequestHead, Result<RequestTarget, HTTPProblem>)
        indirect case upgrade(Upgrade)
    }

    let host: ServerHost
    package let loop: EventLoopContext
    var context: ChannelHandlerContext?
    var socket: DirectSocket
    var machine: HTTPConnectionMachine
    var content = Content.none
    /// The exchange that holds this connection's requests; kept from one request to the next.
    package private(set) var exchange: (any HeldExchange)?
    /// The index in ``LoopState/requesters``.
    @usableFromInline package var place = -1

    /// Received bytes that were not parsed yet.
    var unread = ByteBuffer()
    /// The library's parser, once it is needed, with the parts that it returned while an answer was in progress.
    var parser: RequestParser?
    var body: [UInt8] = []
    /// A large body that is being received, or whose request is being answered.
    var incoming: LargeBody?
    /// The outgoing large body.
    var outgoing: LargeBody?
    /// The reservation of a body that is not large and is being received, or whose request is being answered.
    var smallBody: SmallBodyReservation?
    /// The serial number of the connection on its event loop; logs identify connections by event loop and serial number (rule SO-96).
    let serial: UInt32
    /// The kind of the request for metrics.
    package var kind = RequestKind.other
    /// The trace span of the request; nil without one.
    var span: RequestSpan?
    /// The web page whose script sent the request.
    package internal(set) var page = CrossOrigin.Page.other
    /// The origin of that page as it was sent, for the log of a refusal: its first bytes, nil without one.
    var origin: String?
    /// The length of the request's head in bytes; 0 as long as it is not complete.
    var headBytes: UInt32 = 0

    init(host: ServerHost, loop: EventLoopContext) {
        self.host = host
        self.loop = loop
        machine = HTTPConnectionMachine(at: host.context.now)
        loop.state.connectionSerial &+= 1
        serial = loop.state.connectionSerial
        socket = DirectSocket(isPlain: !host.context.settings.usesTLS)
    }

    package var core: ServerContext { host.context }
    var phase: HTTPConnectionMachine.Phase { machine.phase }
    /// The number of the request on this connection.
    var number: UInt32 { machine.number }

    // MARK: Life

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop.state.requesters.add(self)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        guard end() else { return }
        // The parser may hold part of a request that will not be answered any more.
        context.fireChannelInactive()
    }

    /// The only notification of a channel that closes before it is active, for example because its socket could not be registered (rule
    /// SV-90).
    package func handlerRemoved(context: ChannelHandlerContext) {
        _ = end()
    }

    /// Releases everything, once. Returns false when that was done before, or another handler has the channel.
    private func end() -> Bool {
        guard let effect = machine.leave() else { return false }
        perform(effect)
        core.admission.withLockedValue { $0.closeSocket() }
        return true
    }

    /// Reading pauses for a peer that sends requests faster than it reads the answers, until it has caught up. No read is in progress
    /// then, so ``resume()`` has to send the answers.
    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { resume() }
        updateReading()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Handles an error of the parser: the bytes are not valid HTTP.
    func parsingFailed(_ error: any Error) {
        let failure: HTTPConnectionMachine.ParserFailure =
            switch error {
            case HTTPParserError.headerOverflow: .overflow
            case is HTTPParserError, is NIOHTTPDecoderError, is ByteToMessageDecoderError: .syntax
            default: .other
            }
        if machine.isBetweenRequests { forgetRequest() }
        perform(machine.parserFailed(failure, at: core.now))
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        machine.isInRead = true
        if unread.readableBytes == 0 {
            unread = bytes
        } else {
            unread.writeBuffer(&bytes)
        }
        readWaiting()
        machine.isInRead = false
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        flushIfNeeded()
        if parser != nil { context.fireChannelReadComplete() }
    }

    /// Hands the channel over to the next handler without closing it.
    func handOver() {
        perform(machine.leave())
    }

    // MARK: Effects

    func perform(_ effect: HTTPConnectionMachine.Effect?) {
        switch effect {
        case nil: return
        case .sendContinue:
            socket.usesQueue()
            context?.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
        case .handle: handleContent()
        case .upgrade:
            if case .upgrade(let upgrade) = content { self.upgrade(upgrade, parser) }
        case .refuse(let refusal): refuse(answer(to: refusal))
        case .sweepExchange(let elapsed, let now): exchange?.sweep(held: elapsed, at: now)
        case .expireExchange: exchange?.expire(at: core.now)
        case .setReading(let isReading): setReading(isReading)
        case .close: context?.close(promise: nil)
        case .closeAtOnce: closeAtOnce()
        case .leave: leave()
        }
    }

    private func leave() {
        endSpan(status: nil)
        context = nil
        content = .none
        exchange?.leave()
        exchange = nil
        unread = ByteBuffer()
        loop.state.requesters.remove(self)
    }

    /// Sets the exchange that holds later requests of this connection; the previous one is left.
    package func use(_ exchange: any HeldExchange) {
        guard exchange !== self.exchange else { return }
        self.exchange?.leave()
        self.exchange = exchange
    }
}
