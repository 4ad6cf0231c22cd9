import NIOCore
import NIOHTTP1
import PubNubProtocol
import RealtimeHub
import WebSocketFraming

/// A connection as long as it speaks HTTP: reads requests, answers them in order, or becomes a WebSocket.
///
/// One request at a time: what comes while an answer is under way waits, and beyond ``maximumUnreadBytes`` the socket is not read
/// (rule PV-2). Plain requests are read in place; for the first one that is not plain the HTTP library's parser is put behind this
/// handler and stays. Lives on its event loop, and is small, since there is one for each held poll.
final class HTTPConnection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Phase {
        case idle
        /// The body is coming in.
        case reading(HTTPRequestHead, Result<RequestTarget, HTTPProblem>)
        indirect case upgrading(ServerHandshake, RequestTarget, Visitor)
        /// The answer is under way elsewhere.
        case answering
        /// A poll is held.
        case polling
        /// The last answer is out. Whatever still comes is dropped, so that the peer can read the answer.
        case closing
        case ended
    }

    let core: ServerCore
    let outlet: LoopOutlet
    var context: ChannelHandlerContext?
    var phase = Phase.idle
    /// Since when the connection has been in its phase, or its request been coming in.
    var since: HubInstant
    /// What the poll of this connection subscribes to; kept from one poll to the next.
    var poll: HeldPoll?
    /// The place in ``LoopState/requesters``.
    var place = -1

    /// What has come and was not looked at yet.
    private var unread = ByteBuffer()
    /// The library's parser, once there is one, with what it found while an answer was under way.
    private var parser: RequestParser?
    private var body: [UInt8] = []
    /// Counts requests, so that an answer that comes late or twice finds no other request.
    private var number: UInt32 = 0
    private var isFirstRequest = true
    private var isLastRequest = false
    private var isToHead = false
    /// Whether the request has been read to its end, so that closing cannot cut the answer off.
    private var isRequestComplete = false
    private var isInRead = false
    private var isReadingPaused = false
    private var needsFlush = false
    /// What the request is for, as metrics count it.
    var kind = RequestKind.other
    /// In how many pieces the head of a plain request has come so far.
    private var pieces: UInt8 = 0
    /// The web page whose script asks.
    private(set) var page = CrossOrigin.Page.other

    /// So much may wait behind a request that is being answered.
    static let maximumUnreadBytes = 65_536
    /// A head that comes in more pieces than this goes to the parser, which reads no byte twice.
    private static let maximumPieces: UInt8 = 16

    init(core: ServerCore, outlet: LoopOutlet) {
        self.core = core
        self.outlet = outlet
        since = core.now
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
        // The parser may hold part of a request that nobody waits for any more.
        context.fireChannelInactive()
    }

    /// A peer that asks faster than it reads the answers is not read from until it has caught up.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { readWaiting() }
        updateReading()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// The parser found no valid HTTP.
    func parsingFailed(_ error: any Error) {
        guard error is HTTPParserError || error is NIOHTTPDecoderError || error is ByteToMessageDecoderError else {
            context?.close(promise: nil)
            return
        }
        let problem = error as? HTTPParserError == .headerOverflow ? HTTPProblem.headerTooLarge : .malformedRequest
        switch phase {
        case .answering, .polling, .upgrading: context?.close(promise: nil)
        case .idle:
            // What is known of the request before has nothing to do with this one.
            if pieces == 0 { beginRequest() }
            refuse(HTTPAnswer(problem))
        case .reading: refuse(HTTPAnswer(problem))
        case .closing, .ended: return
        }
    }

    private func leave() {
        phase = .ended
        context = nil
        poll?.leave()
        poll = nil
        unread = ByteBuffer()
        outlet.state.remove(self)
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
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

    func channelReadComplete(context: ChannelHandlerContext) {
        flushIfNeeded()
        if parser != nil { context.fireChannelReadComplete() }
    }

    /// Reads requests as long as there are some and each is answered at once.
    func readWaiting() {
        while let context, context.channel.isWritable {
            switch phase {
            case .closing:
                unread = ByteBuffer()
                fallthrough
            case .answering, .polling, .ended:
                return updateReading()
            case .idle, .reading, .upgrading: break
            }
            if let parser {
                if parser.takeWaiting(self) { continue }
                guard unread.readableBytes > 0 else { return updateReading() }
                let bytes = unread
                unread = ByteBuffer()
                noteBeginning(bytes)
                context.fireChannelRead(wrapInboundOut(bytes))
                continue
            }
            guard unread.readableBytes > 0, readPlain() else { return updateReading() }
        }
    }

    /// Reads one plain request; false when more of it has to come.
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
            case .complete(let head):
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
        kind = .other
        page = .other
    }

    /// A head that comes to the parser in pieces has to be whole in time, too (rule SV-5). Line ends between requests begin none.
    private func noteBeginning(_ bytes: ByteBuffer) {
        guard case .idle = phase, pieces == 0 else { return }
        guard bytes.readableBytesView.contains(where: { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }) else { return }
        beginRequest()
        pieces = 1
    }

    /// Stops reading from the socket while too much waits.
    private func updateReading() {
        guard let context else { return }
        let mustPause = !context.channel.isWritable || unread.readableBytes > Self.maximumUnreadBytes
        guard mustPause != isReadingPaused else { return }
        isReadingPaused = mustPause
        context.channel.setOption(.autoRead, value: !mustPause).whenFailure { [channel = context.channel] _ in
            channel.close(promise: nil)
        }
    }

    /// Takes what the parser found.
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
        // After a request that offers an upgrade the parser stops, so the connection cannot be used again.
        isLastRequest = !head.isKeepAlive || head.headers.contains(name: "upgrade")
        isToHead = head.method == .HEAD
        page = core.crossOrigin.page(head.headers.first(name: "origin"))
        var head = head
        let target: RequestTarget
        do throws(HTTPProblem) {
            target = try self.target(of: &head)
        } catch {
            phase = .reading(head, .failure(error))
            return
        }
        if ServerHandshake.isUpgrade(head.headers) { return beginUpgrade(head, target) }
        phase = .reading(head, .success(target))
        let limit = bodyLimit(head, target)
        if let length = head.headers.first(name: "content-length").flatMap({ Int($0) }), length > limit {
            return refuse(answer(to: .bodyTooLarge(limit: limit), head.uri))
        }
        if head.headers[canonicalForm: "expect"].contains(where: { $0.lowercased() == "100-continue" }) {
            context?.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
        }
    }

    private func take(_ bytes: ByteBuffer) {
        guard case .reading(let head, let target) = phase else { return }
        let limit = bodyLimit(head, try? target.get())
        guard body.count + bytes.readableBytes <= limit else {
            return refuse(answer(to: .bodyTooLarge(limit: limit), head.uri))
        }
        body.append(contentsOf: bytes.readableBytesView)
    }

    private func bodyLimit(_ head: HTTPRequestHead, _ target: RequestTarget?) -> Int {
        let limit = core.configuration.maximumRequestBytes
        if NexconnAPIRoute.owns(target: head.uri) { return NexconnAPI.maximumBody(limit) }
        return target.map { Route.isBatch($0.segments) } == true ? PublishRequest.maximumBatch(limit) : limit
    }

    private func finish() {
        switch phase {
        case .idle, .answering, .polling, .closing, .ended: return
        case .upgrading(let handshake, let target, let visitor):
            // Parts that come out of the parser when it goes belong to the WebSocket.
            upgrade(handshake, target, visitor, parser)
        case .reading(let head, let target):
            isRequestComplete = true
            let body = body
            self.body = []
            handle(head, target, body)
        }
    }

    // MARK: Answering

    /// The way for the answer to the request that has been read, good for one use.
    func expectAnswer() -> PubNubReply {
        phase = .answering
        let (outlet, number) = (outlet, number)
        let bound = NIOLoopBound(self, eventLoop: outlet.eventLoop)
        return { answer in
            if outlet.eventLoop.inEventLoop {
                bound.value.finish(number, answer)
            } else {
                outlet.enqueue(.answer(bound, number: number, answer))
            }
        }
    }

    /// Whether the request with this number still waits for its answer.
    func isAnswering(_ number: UInt32) -> Bool {
        guard case .answering = phase else { return false }
        return number == self.number
    }

    /// Holds the request back until event loops have room for what it publishes.
    ///
    /// - Parameters:
    ///   - deadline: of a request that has been held back before.
    ///   - attempt: tries again; answers with ``finish(_:_:)``, or holds the request back until the same deadline.
    func hold(
        until loops: PartitionSet, or refusal: HTTPAnswer, _ deadline: HubInstant?,
        _ attempt: @escaping (_ number: UInt32, _ deadline: HubInstant) -> Void
    ) {
        phase = .answering
        if deadline == nil { outlet.state.figures.held += 1 }
        let (number, deadline) = (number, deadline ?? core.now.advanced(by: core.configuration.publishTimeout))
        outlet.hold(
            HeldBack.Request(
                connection: self, number: number, loops: loops, deadline: deadline, refusal: refusal,
                attempt: { attempt(number, deadline) }))
    }

    /// Answers the request with this number, if it still waits.
    func finish(_ number: UInt32, _ answer: HTTPAnswer) {
        guard isAnswering(number) else { return }
        self.answer(answer)
        resume()
    }

    /// Answers a request that may not have been read to its end, and nothing after it.
    func refuse(_ answer: HTTPAnswer) {
        isLastRequest = true
        self.answer(answer)
        resume()
    }

    func answer(_ answer: HTTPAnswer) {
        if answer.status >= 400 { outlet.state.counters.requestsRefused += 1 }
        outlet.state.figures.requests.count(kind, status: answer.status)
        var buffer = ByteBuffer()
        let date = outlet.state.date(at: core.configuration.clock.unixSeconds())
        answer.write(to: &buffer, isLast: closesAfterAnswer, toHead: isToHead, date: date, core.crossOrigin, page)
        send(buffer, isLast: closesAfterAnswer, at: core.now)
    }

    /// Whether the connection ends with the answer to this request.
    var closesAfterAnswer: Bool { isLastRequest || outlet.state.isDraining }

    /// Writes a whole answer. Flushing is up to ``resume()``, or to whoever else calls this.
    func send(_ bytes: ByteBuffer, isLast: Bool, at now: HubInstant) {
        guard let context else { return }
        switch phase {
        case .closing, .ended: return
        case .idle, .reading, .upgrading, .answering, .polling: break
        }
        outlet.state.counters.requests += 1
        number &+= 1
        pieces = 0
        body = []
        since = now
        needsFlush = true
        phase = isLast ? .closing : .idle
        guard isLast, isRequestComplete else { return context.write(wrapOutboundOut(bytes), promise: nil) }
        context.write(wrapOutboundOut(bytes)).assumeIsolated().whenComplete { [context] _ in context.close(promise: nil) }
    }

    /// Goes on after an answer that did not come while reading.
    func resume() {
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

// MARK: - Time and ends

extension HTTPConnection {
    /// How long an answer may be under way inside the server.
    private static let answerTimeout = Duration.seconds(30)

    /// What time alone brings (rules SV-5, SV-6, PV-10).
    func sweep(at now: HubInstant) {
        let configuration = core.configuration
        let elapsed = now.since(since)
        switch phase {
        case .ended: return
        case .answering:
            // Nobody answers any more; the client must not wait for ever.
            if elapsed >= Self.answerTimeout { refuse(HTTPAnswer(.serviceUnavailable)) }
        case .polling:
            if elapsed >= configuration.pollHold { poll?.expire(at: now) }
        case .idle where pieces > 0: fallthrough
        case .reading, .upgrading:
            if elapsed >= configuration.requestTimeout { refuse(HTTPAnswer(.timeout)) }
        case .idle:
            if elapsed >= (isFirstRequest ? configuration.requestTimeout : configuration.keepAliveTimeout) {
                context?.close(promise: nil)
            }
        case .closing:
            if elapsed >= configuration.closeTimeout { context?.close(promise: nil) }
        }
    }

    /// Ends a connection whatever it does.
    func cut() {
        context?.close(promise: nil)
    }

    /// Ends a connection that waits for a request or for a message. Requests under way are answered first.
    func drain() {
        switch phase {
        case .idle: context?.close(promise: nil)
        case .polling: poll?.expire(at: core.now)
        case .reading, .upgrading, .answering, .closing, .ended: return
        }
    }

    /// Gives the channel up without closing it; the next handler takes over.
    func handOver() {
        leave()
    }
}
