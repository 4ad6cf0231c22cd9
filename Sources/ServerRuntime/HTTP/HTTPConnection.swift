import Logging
import NIOCore
import NIOHTTP1
import ServerValues
import WebSocketFraming

/// A connection that uses HTTP: reads requests, answers them in order, and may become a WebSocket.
///
/// One request at a time: later bytes wait while an answer is in progress, and beyond ``maximumUnreadBytes`` reading from the
/// socket pauses (rule PV-2). Plain requests are parsed in place; for the first other request the HTTP library's parser is inserted
/// behind this handler and stays. Used on its event loop only, and small, because each held request has one.
package final class HTTPConnection: ChannelInboundHandler, RemovableChannelHandler, ListedConnection {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    enum Phase {
        case idle
        /// The body is being received.
        case reading(HTTPRequestHead, Result<RequestTarget, HTTPProblem>)
        indirect case upgrading(Upgrade)
        /// The answer is being made by other code.
        case answering
        /// The request is held until there is an answer.
        case holding
        /// The last answer was sent. Bytes that still arrive are dropped, so that the peer can read the answer.
        case closing
        case ended
    }

    let host: ServerHost
    package let loop: EventLoopContext
    var context: ChannelHandlerContext?
    private var socket: DirectSocket
    var phase = Phase.idle
    /// The time since which the connection has been in its phase, or its request has been arriving.
    var since: MonotonicInstant
    /// The exchange that holds this connection's requests; kept from one request to the next.
    package private(set) var exchange: (any HeldExchange)?
    /// The index in ``LoopState/requesters``.
    @usableFromInline package var place = -1

    /// Received bytes that were not parsed yet.
    private var unread = ByteBuffer()
    /// The library's parser, once it is needed, with the parts that it returned while an answer was in progress.
    private var parser: RequestParser?
    private var body: [UInt8] = []
    /// A large body that is being received, or whose request is being answered.
    private(set) var incoming: LargeBody?
    /// The outgoing large body.
    private(set) var outgoing: LargeBody?
    /// Bytes of the request behind its head that are not part of its body: chunk sizes and extensions.
    private var framingBytes = 0
    /// The reservation of a body that is not large and is being received, or whose request is being answered.
    private var smallBody: SmallBodyReservation?
    /// Numbers the requests, so that a late or repeated answer is not sent for another request.
    private(set) var number: UInt32 = 0
    /// The serial number of the connection on its event loop; logs identify connections by event loop and serial number (rule SO-96).
    let serial: UInt32
    private(set) var isFirstRequest = true
    private var isLastRequest = false
    private var isToHead = false
    /// Whether the request has been read completely, so that closing cannot cut the answer off.
    private var isRequestComplete = false
    private var isInRead = false
    private var isReadingPaused = false
    private var needsFlush = false
    /// The kind of the request for metrics.
    package var kind = RequestKind.other
    /// The trace span of the request; nil without one.
    var span: RequestSpan?
    /// The request line of a request whose head the parser has not completely read.
    private var requestLine = RequestLine()
    /// The number of pieces in which the head of a plain request has arrived so far.
    private(set) var pieces: UInt8 = 0
    /// The web page whose script sent the request.
    package private(set) var page = CrossOrigin.Page.other

    /// The largest number of bytes that may wait behind a request that is being answered.
    static let maximumUnreadBytes = 65_536
    /// The largest number of framing bytes of a chunked body, plus `framingBytesPerByte` for each byte of the body.
    private static let maximumFramingBytes = 16_384
    private static let framingBytesPerByte = 8
    /// The size of the system's send buffer for a peer that receives a large body.
    private static let largeBodySendBuffer: SocketOptionValue = 256 << 10
    /// A head in more pieces than this is passed to the parser, which reads each byte once.
    private static let maximumPieces: UInt8 = 16

    init(host: ServerHost, loop: EventLoopContext) {
        self.host = host
        self.loop = loop
        since = host.context.now
        loop.state.connectionSerial &+= 1
        serial = loop.state.connectionSerial
        socket = DirectSocket(isPlain: !host.context.settings.usesTLS)
    }

    package var core: ServerContext { host.context }

    // MARK: Life

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop.state.requesters.add(self)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        if case .ended = phase { return }
        leave()
        core.admission.withLockedValue { $0.closeSocket() }
        // The parser may hold part of a request that will not be answered any more.
        context.fireChannelInactive()
    }

    /// Reading pauses for a peer that sends requests faster than it reads the answers, until it has caught up.
    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { readWaiting() }
        updateReading()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Handles an error of the parser: the bytes are not valid HTTP.
    func parsingFailed(_ error: any Error) {
        guard error is HTTPParserError || error is NIOHTTPDecoderError || error is ByteToMessageDecoderError else {
            context?.close(promise: nil)
            return
        }
        let isOverflow = error as? HTTPParserError == .headerOverflow
        let answer = isOverflow ? refusalOfLargeHead(requestLine) : HTTPAnswer(.malformedRequest)
        switch phase {
        case .answering, .holding, .upgrading: context?.close(promise: nil)
        case .idle:
            // Resets the facts about the previous request.
            if pieces == 0 { beginRequest() }
            refuse(answer)
        case .reading: refuse(answer)
        case .closing, .ended: return
        }
    }

    private func leave() {
        endSpan(status: nil)
        phase = .ended
        context = nil
        exchange?.leave()
        exchange = nil
        unread = ByteBuffer()
        loop.state.requesters.remove(self)
    }

    // MARK: Reading

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        isInRead = true
        if unread.readableBytes == 0 {
            unread = bytes
        } else {
            unread.writeBuffer(&bytes)
        }
        readWaiting()
        isInRead = false
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        flushIfNeeded()
        if parser != nil { context.fireChannelReadComplete() }
    }

    /// Reads requests as long as there are complete ones and each is answered at once.
    func readWaiting() {
        while let context, context.channel.isWritable {
            switch phase {
            case .closing:
                unread = ByteBuffer()
                fallthrough
            case .answering, .holding, .ended:
                return updateReading()
            case .idle, .reading, .upgrading: break
            }
            if let parser {
                if parser.takeWaiting(self) { continue }
                guard unread.readableBytes > 0 else { return updateReading() }
                let bytes = unread
                unread = ByteBuffer()
                noteBeginning(bytes)
                bytes.withUnsafeReadableBytes { requestLine.note($0) }
                feedParser(bytes, context)
                continue
            }
            guard unread.readableBytes > 0 else { return updateReading() }
            if core.settings.readsAllFields {
                startParser()
                continue
            }
            guard readPlain() else { return updateReading() }
        }
    }

    /// Reads one plain request; returns false when it is incomplete.
    private func readPlain() -> Bool {
        let bytes = unread
        return bytes.withUnsafeReadableBytes { bytes in
            switch PlainRequestHead.read(bytes) {
            case .incomplete where pieces < Self.maximumPieces:
                if pieces == 0 { beginRequest() }
                pieces += 1
                return false
            case .incomplete, .unusual:
                startParser()
                return true
            case .handshake(let head, let fields):
                guard let upgrade = self.upgrade(head, fields: fields, in: bytes) else {
                    startParser()
                    return true
                }
                if pieces == 0 { beginRequest() }
                var behind = unread
                behind.moveReaderIndex(forwardBy: head.length)
                unread = ByteBuffer()
                begin(upgrade)
                if case .upgrading = phase { self.upgrade(upgrade, behind: behind) }
                return true
            case .complete(let head):
                if host.needsFields(of: UnsafeRawBufferPointer(rebasing: bytes[head.target])) {
                    startParser()
                    return true
                }
                if pieces == 0 { beginRequest() }
                unread.moveReaderIndex(forwardBy: head.length)
                if unread.readableBytes == 0 { unread = ByteBuffer() }
                isLastRequest = !head.isKeepAlive
                isRequestComplete = true
                if let origin = head.origin, !core.crossOrigin.isForAll {
                    page = core.crossOrigin.page(UnsafeRawBufferPointer(rebasing: bytes[origin]))
                }
                handle(plain: UnsafeRawBufferPointer(rebasing: bytes[head.target]))
                return true
            }
        }
    }

    /// Passes bytes to the parser, and refuses a body whose chunks have far more framing than content (rule SV-48).
    private func feedParser(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        let (before, known, length) = (number, body.count, bytes.readableBytes)
        var wasReading = false
        if case .reading = phase { wasReading = true }
        context.fireChannelRead(wrapInboundOut(bytes))
        guard wasReading, number == before, case .reading(let head, _) = phase else { return }
        framingBytes += length - (body.count - known)
        if framingBytes > Self.maximumFramingBytes + Self.framingBytesPerByte * body.count {
            refuse(refusal(.excessiveFraming, head.uri))
        }
    }

    private func startParser() {
        guard let context else { return }
        let parser = RequestParser(self)
        do {
            try parser.install(behind: self, in: context.pipeline.syncOperations)
            self.parser = parser
        } catch {
            // The channel is closing.
            context.close(promise: nil)
            unread = ByteBuffer()
        }
    }

    private func beginRequest() {
        since = core.now
        isFirstRequest = false
        isLastRequest = false
        isToHead = false
        isRequestComplete = false
        framingBytes = 0
        kind = .other
        page = .other
    }

    /// A head that reaches the parser in pieces must also be complete in time (rule SV-5). Line ends between requests do not start one.
    private func noteBeginning(_ bytes: ByteBuffer) {
        guard case .idle = phase, pieces == 0 else { return }
        guard bytes.readableBytesView.contains(where: { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }) else { return }
        beginRequest()
        pieces = 1
    }

    /// Pauses reading from the socket while too many bytes wait.
    private func updateReading() {
        guard let context else { return }
        let mustPause = !context.channel.isWritable || unread.readableBytes > Self.maximumUnreadBytes
        guard mustPause != isReadingPaused else { return }
        isReadingPaused = mustPause
        context.channel.setOption(.autoRead, value: !mustPause).whenFailure { [channel = context.channel] _ in
            channel.close(promise: nil)
        }
    }

    /// Handles a part from the parser.
    func receive(_ part: HTTPServerRequestPart) {
        switch part {
        case .head(let head): begin(head)
        case .body(let bytes): take(bytes)
        case .end: finish()
        }
    }

    private func begin(_ head: HTTPRequestHead) {
        guard case .idle = phase else { return }
        if pieces == 0 { beginRequest() }
        // After a request that offers an upgrade the parser stops, so the connection cannot be reused.
        isLastRequest = !head.isKeepAlive || head.headers.contains(name: "upgrade")
        isToHead = head.method == .HEAD
        page = core.crossOrigin.page(head.headers.first(name: "origin"))
        span = RequestSpan(head)
        var head = head
        let parsed = Result { () throws(HTTPProblem) in try self.target(of: &head) }
        if let problem = RequestHeadRules.problem(of: head) { return refuse(refusal(problem, head.uri)) }
        if head.method == .CONNECT { return refuse(.tunnelRefused) }
        let target: RequestTarget
        switch parsed {
        case .success(let found): target = found
        case .failure(let problem):
            phase = .reading(head, .failure(problem))
            return
        }
        if ServerHandshake.isUpgrade(head.headers) { return beginUpgrade(head, target) }
        phase = .reading(head, .success(target))
        let limit = bodyLimit(head, target)
        if let length = head.headers.first(name: "content-length").flatMap({ Int($0) }), length > limit {
            return refuse(refusal(.bodyTooLarge(limit: limit), head.uri))
        }
        if head.headers[canonicalForm: "expect"].contains(where: { $0.lowercased() == "100-continue" }) {
            socket.usesQueue()
            context?.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
        }
    }

    /// Reserves memory for a body that has `count` bytes so far; false when there is none (rule SV-86).
    private func hasRoom(for count: Int, _ head: HTTPRequestHead) -> Bool {
        guard count > SmallBodyBudget.freeBytes else { return true }
        guard count <= BodyBudget.smallBytes else {
            // The body is now a large one, with a separate reservation.
            smallBody = nil
            return true
        }
        let room = min((count / SmallBodyBudget.step + 1) * SmallBodyBudget.step, BodyBudget.smallBytes)
        if let smallBody { return smallBody.grow(to: room) }
        let address = context.flatMap { core.addresses.client(head.headers, of: $0.channel) }
        smallBody = core.smallBodies.reserve(room, for: address)
        return smallBody != nil
    }

    private func take(_ bytes: ByteBuffer) {
        guard case .reading(let head, let target) = phase else { return }
        guard hasRoom(for: body.count + bytes.readableBytes, head) else { return refuse(refusal(.tooManyBodies, head.uri)) }
        let limit = bodyLimit(head, try? target.get())
        guard body.count + bytes.readableBytes <= limit else {
            return refuse(refusal(.bodyTooLarge(limit: limit), head.uri))
        }
        let size = body.count + bytes.readableBytes
        if size > incoming?.reserved ?? BodyBudget.smallBytes {
            let large = incoming ?? LargeBody()
            guard large.grow(to: size, limit: limit, for: bodyOwner(head, try? target.get()), in: core.bodies) else {
                return refuse(refusal(.tooManyLargeBodies, head.uri))
            }
            incoming = large
            // Exactly the reserved size, because an array that grows by itself doubles its size.
            body.reserveCapacity(large.reserved)
        }
        body.append(contentsOf: bytes.readableBytesView)
    }

    /// The number of received bytes of a request's body.
    var bodyBytes: Int { body.count }

    private func finish() {
        switch phase {
        case .idle, .answering, .holding, .closing, .ended: return
        case .upgrading(let upgrade): self.upgrade(upgrade, parser)
        case .reading(let head, let target):
            isRequestComplete = true
            let body = body
            self.body = []
            handle(head, target, body)
        }
    }

    // MARK: Answering

    /// Sets the exchange that holds later requests of this connection; the previous one is left.
    package func use(_ exchange: any HeldExchange) {
        guard exchange !== self.exchange else { return }
        self.exchange?.leave()
        self.exchange = exchange
    }

    /// Holds the request: nothing is sent until its exchange has an answer.
    package func holdExchange(at now: MonotonicInstant) {
        phase = .holding
        since = now
    }

    /// Answers a request that may not have been read completely, and closes the connection.
    package func refuse(_ answer: HTTPAnswer) {
        isLastRequest = true
        self.answer(answer)
        resume()
    }

    package func answer(_ answer: HTTPAnswer) {
        if answer.status >= 400 { loop.state.counters.requestsRefused += 1 }
        loop.state.figures.requests.count(kind, status: answer.status)
        var buffer = ByteBuffer()
        let date = loop.state.date(at: core.settings.clock.unixSeconds())
        answer.write(to: &buffer, isLast: closesAfterAnswer, toHead: isToHead, date: date, core.crossOrigin, page)
        let now = core.now
        let time = now.nanoseconds - since.nanoseconds
        loop.state.figures.requestTimes.observe(kind, nanoseconds: time)
        core.logger.debug("request answered", metadata: logMetadata(status: answer.status, nanoseconds: time))
        if answer.status >= 400 { logRefusal(answer, nanoseconds: time) }
        endSpan(status: answer.status)
        send(buffer, isLast: closesAfterAnswer, at: now, answer.reservation)
    }

    /// Whether the connection closes after the answer to this request.
    package var closesAfterAnswer: Bool { isLastRequest || loop.state.isDraining }

    /// Writes a complete answer. The caller, or ``resume()``, has to flush. An answer outside of a read is sent at once; answers
    /// within a read are sent together.
    ///
    /// - Parameter reservation: the reservation of a large body; it is kept until the body is sent.
    package func send(
        _ bytes: ByteBuffer, isLast: Bool, at now: MonotonicInstant, _ reservation: BodyReservation? = nil
    ) {
        guard let context else { return }
        switch phase {
        case .closing, .ended: return
        case .idle, .reading, .upgrading, .answering, .holding: break
        }
        loop.state.counters.requests += 1
        // The exchange sends the answer of a poll.
        endSpan(status: 200)
        number &+= 1
        pieces = 0
        body = []
        incoming = nil
        smallBody = nil
        since = now
        phase = isLast ? .closing : .idle
        var bytes = bytes
        if !isLast, !isInRead, !needsFlush {
            bytes.moveReaderIndex(forwardBy: socket.send(bytes, on: context))
            if bytes.readableBytes == 0 { return }
        }
        needsFlush = true
        socket.usesQueue()
        let mustClose = isLast && isRequestComplete
        guard mustClose || reservation != nil else { return context.write(wrapOutboundOut(bytes), promise: nil) }
        let large = reservation.map { LargeBody($0) }
        if let large {
            outgoing = large
            // By default the system would buffer megabytes for a peer that reads nothing, and hide the progress of one that reads slowly.
            try? context.channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: Self.largeBodySendBuffer)
        }
        context.write(wrapOutboundOut(bytes)).assumeIsolated().whenComplete { [self, context] _ in
            if let large, outgoing === large { outgoing = nil }
            if mustClose { context.close(promise: nil) }
        }
    }

    /// Continues after an answer outside of a read.
    package func resume() {
        guard !isInRead else { return }
        flushIfNeeded()
        guard unread.readableBytes > 0 || parser != nil else { return }
        isInRead = true
        readWaiting()
        isInRead = false
        flushIfNeeded()
    }

    private func flushIfNeeded() {
        guard needsFlush else { return }
        needsFlush = false
        context?.flush()
    }
}

extension HTTPConnection {
    /// Hands the channel over to the next handler without closing it.
    func handOver() {
        leave()
    }
}
