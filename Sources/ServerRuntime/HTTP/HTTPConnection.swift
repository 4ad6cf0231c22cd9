import NIOCore
import NIOHTTP1
import ServerValues

/// A connection that uses HTTP: reads requests, answers them in order, and may become a WebSocket.
///
/// Only one request is handled at a time: later bytes wait while an answer is in progress, and beyond
/// ``HTTPConnectionMachine/maximumUnreadBytes`` reading from the socket pauses (rule PV-2). ``HTTPConnectionMachine`` decides what the
/// connection does next. This handler owns the channel, the bytes and the reservations, and performs the machine's effects. Plain requests
/// are parsed in place; for the first other request the HTTP library's parser is inserted behind this handler and stays. Used on its event
/// loop only. The object is small, because each held request has such an object.
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
    /// The exchange that holds this connection's requests open, such as the exchange for long polls. It is reused for later requests.
    package private(set) var exchange: (any HeldExchange)?
    /// The connection's index in ``LoopState/requesters``; -1 outside of that list.
    @usableFromInline package var place = -1

    /// Received bytes that were not parsed yet.
    var unread = ByteBuffer()
    /// The HTTP library's parser, with the parts of requests that it returned while an answer was in progress. Nil until a request needs
    /// the parser.
    var parser: RequestParser?
    var body: [UInt8] = []
    /// The reservation of a large body that is being received, or whose request is being answered.
    var incoming: LargeBody?
    /// The reservation of a large body that is being sent.
    var outgoing: LargeBody?
    /// The reservation of a smaller body that is being received, or whose request is being answered.
    var smallBody: SmallBodyReservation?
    /// The serial number of the connection on its event loop; logs identify connections by event loop and serial number (rule SO-96).
    let serial: UInt32
    /// The kind of the current request, under which metrics count it.
    package var kind = RequestKind.other
    /// The trace span of the current request; nil when the request belongs to no trace.
    var span: RequestSpan?
    /// The web page whose script sent the request.
    package internal(set) var page = CrossOrigin.Page.other
    /// The first bytes of the request's `Origin` field, for the log entry of a refusal; nil without that field.
    var origin: String?
    /// The length of the request's head in bytes; 0 while the head is incomplete.
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
    /// The number of the current request on this connection, counted from 0.
    var number: UInt32 { machine.number }

    // MARK: Life

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop.state.requesters.add(self)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        guard end() else { return }
        // The event also ends the parser, which may hold part of a request that nobody will answer.
        context.fireChannelInactive()
    }

    /// This is the only callback for a channel that closes before it is active, for example because its socket could not be registered
    /// (rule SV-90).
    package func handlerRemoved(context: ChannelHandlerContext) {
        _ = end()
    }

    /// Releases the connection's resources once. Returns false when they were released before, or when another handler has the channel.
    private func end() -> Bool {
        guard let effect = machine.leave() else { return false }
        perform(effect)
        core.admission.withLockedValue { $0.closeSocket() }
        return true
    }

    /// Pauses reading while the peer sends requests faster than it reads the answers. When writing becomes possible again, no read is in
    /// progress, so ``resume()`` has to send the answers that wait.
    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { resume() }
        updateReading()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Handles an error of the HTTP library's parser, for example because the bytes are not valid HTTP.
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

    /// Releases this handler's resources without closing the channel, which the next handler uses.
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

    /// Sets the ``HeldExchange`` that answers this connection's held requests from now on. The previous exchange is notified that it no
    /// longer answers them.
    package func use(_ exchange: any HeldExchange) {
        guard exchange !== self.exchange else { return }
        self.exchange?.leave()
        self.exchange = exchange
    }
}
