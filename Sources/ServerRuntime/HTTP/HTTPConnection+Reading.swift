import NIOCore
import NIOHTTP1
import ServerValues
import WebSocketFraming

// Parses received bytes into requests.
extension HTTPConnection {
    /// Reads and handles requests until the received bytes contain no complete request, or until a request is answered later.
    func readWaiting() {
        while let context, context.channel.isWritable {
            let waiting = HTTPConnectionMachine.Waiting(
                hasBytes: unread.readableBytes > 0, hasParts: parser?.hasParts == true, hasParser: parser != nil,
                needsParser: core.settings.readsAllFields)
            var step = machine.nextStep(waiting)
            if step == .readPlain { step = readPlain() }
            switch step {
            case .readPlain: continue
            case .takePart: parser?.takePart(self)
            case .feedParser: feedParser(context)
            case .startParser: startParser()
            case .stop: return updateReading()
            case .drop:
                unread = ByteBuffer()
                return updateReading()
            }
        }
    }

    /// Parses one plain request from the received bytes. Returns the next step: ``HTTPConnectionMachine/Step/readPlain`` if the request was
    /// complete.
    private func readPlain() -> HTTPConnectionMachine.Step {
        let bytes = unread
        return bytes.withUnsafeReadableBytes { bytes in
            switch PlainRequestHead.read(bytes) {
            case .incomplete:
                if machine.isBetweenRequests { forgetRequest() }
                return machine.gotPiece(at: core.now)
            case .unusual: return .startParser
            case .handshake(let head, let fields):
                guard let upgrade = self.upgrade(head, fields: fields, in: bytes) else { return .startParser }
                forgetRequest()
                headBytes = UInt32(clamping: head.length)
                machine.gotHead(at: core.now)
                var behind = unread
                behind.moveReaderIndex(forwardBy: head.length)
                unread = ByteBuffer()
                begin(upgrade)
                if case .upgrading = phase { self.upgrade(upgrade, behind: behind) }
                return .readPlain
            case .complete(let head):
                if host.needsFields(of: UnsafeRawBufferPointer(rebasing: bytes[head.target])) { return .startParser }
                let former = origin
                forgetRequest()
                headBytes = UInt32(clamping: head.length)
                origin = head.origin.map { Self.origin(UnsafeRawBufferPointer(rebasing: bytes[$0]), former) }
                machine.gotPlainRequest(isKeepAlive: head.isKeepAlive, at: core.now)
                unread.moveReaderIndex(forwardBy: head.length)
                if unread.readableBytes == 0 { unread = ByteBuffer() }
                if let origin = head.origin, !core.crossOrigin.isForAll {
                    page = core.crossOrigin.page(UnsafeRawBufferPointer(rebasing: bytes[origin]))
                }
                handle(plain: UnsafeRawBufferPointer(rebasing: bytes[head.target]))
                return .readPlain
            }
        }
    }

    /// Passes the received bytes to the HTTP library's parser.
    private func feedParser(_ context: ChannelHandlerContext) {
        let bytes = unread
        unread = ByteBuffer()
        noteBeginning(bytes)
        bytes.withUnsafeReadableBytes { parser?.requestLine.note($0) }
        let mark = machine.mark
        context.fireChannelRead(wrapInboundOut(bytes))
        perform(machine.parsed(bytes.readableBytes, since: mark))
    }

    /// Starts the time limit for a head that reaches the parser in pieces (rule SV-5). Line ends between two requests do not start it.
    private func noteBeginning(_ bytes: ByteBuffer) {
        guard machine.isBetweenRequests else { return }
        guard bytes.readableBytesView.contains(where: { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }) else { return }
        forgetRequest()
        // The returned step is not needed, because the parser has the bytes already.
        _ = machine.gotPiece(at: core.now)
    }

    private func startParser() {
        guard let context else { return }
        let parser = RequestParser(self)
        do {
            try parser.install(behind: self, in: context.pipeline.syncOperations)
            self.parser = parser
        } catch {
            // Installing the parser fails only when the channel is closing.
            context.close(promise: nil)
            unread = ByteBuffer()
        }
    }

    /// Resets the properties of the previous request that metrics and answers use.
    func forgetRequest() {
        kind = .other
        page = .other
        origin = nil
        headBytes = 0
    }

    /// Pauses reading from the socket while too many received bytes wait or the peer does not read, and resumes it afterwards.
    func updateReading() {
        guard let context else { return }
        perform(machine.updateReading(unreadBytes: unread.readableBytes, isWritable: context.channel.isWritable))
    }

    func setReading(_ isReading: Bool) {
        guard let context else { return }
        context.channel.setOption(.autoRead, value: isReading).whenFailure { [channel = context.channel] _ in
            channel.close(promise: nil)
        }
    }

    // MARK: Parts of requests from the parser

    func receive(_ part: HTTPServerRequestPart) {
        switch part {
        case .head(let head): begin(head)
        case .body(let bytes): take(bytes)
        case .end: perform(machine.gotEnd())
        }
    }

    private func begin(_ head: HTTPRequestHead) {
        guard case .idle = phase else { return }
        forgetRequest()
        // The connection closes after a request that offers an upgrade, because the library's parser reads nothing after such a request.
        let isLast = !head.isKeepAlive || head.headers.contains(name: "upgrade")
        machine.gotHead(isLast: isLast, isToHead: head.method == .HEAD, at: core.now)
        page = core.crossOrigin.page(head.headers.first(name: "origin"))
        origin = head.headers.first(name: "origin").map { Self.origin($0.utf8, nil) }
        headBytes = UInt32(clamping: Self.length(of: head))
        span = RequestSpan(head)
        var head = head
        let parsed = Result { () throws(HTTPProblem) in try self.target(of: &head) }
        if let problem = RequestHeadRules.problem(of: head) { return refuse(refusal(problem, head.uri)) }
        if head.method == .CONNECT { return refuse(.tunnelRefused) }
        content = .request(head, parsed)
        guard case .success(let target) = parsed else {
            return perform(machine.expectBody(length: nil, limit: bodyLimit(head, nil), awaitsContinue: false))
        }
        if ServerHandshake.isUpgrade(head.headers) { return beginUpgrade(head, target) }
        let length = head.headers.first(name: "content-length").flatMap { Int($0) }
        let awaitsContinue = head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
        perform(machine.expectBody(length: length, limit: bodyLimit(head, target), awaitsContinue: awaitsContinue))
    }

    /// Passes the request, whose body is complete, to the service that owns its path.
    func handleContent() {
        guard case .request(let head, let target) = content else { return }
        let body = body
        self.body = []
        // The head is released now, because a held request does not need it.
        content = .none
        handle(head, target: target, body: body)
    }
}
