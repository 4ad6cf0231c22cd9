import NIOConcurrencyHelpers
import NIOCore
import ServerRuntime
import ServerValues
import WebSocketFraming

/// A protocol of its own on the server's runtime: what comes over HTTP or a WebSocket goes back. Proof that a front is added without an
/// edit elsewhere (rule SV-61).
final class EchoFront: WebSocketFront {
    let service = ServiceName(rawValue: "echo")
    let context: ServerContext
    let mailboxes: [EventLoopMailbox<EchoLoop>]
    private let kind: RequestKind
    private let slot: MetricSlot
    private let state = NIOLockedValueBox((prefix: "", isClosed: false))

    init(_ context: ServerContext) {
        self.context = context
        mailboxes = context.loops.map { EventLoopMailbox($0.queue, EchoLoop($0)) }
        kind = context.requestKinds.add("echo")
        slot = context.names.slot(service, "demo")
    }

    /// New settings while the server runs: what answers begin with.
    func reload(prefix: String) {
        state.withLockedValue { $0.prefix = prefix }
    }

    var isClosed: Bool { state.withLockedValue(\.isClosed) }

    /// Tells everybody who is connected.
    func broadcast(_ text: String) {
        for mailbox in mailboxes { mailbox.enqueue(EchoLoop.Broadcast(text: text)) }
    }

    func owns(_ segments: [String]) -> Bool { segments.first == "echo" }

    func answer(_ request: HTTPRequest, for connection: HTTPConnection) {
        connection.kind = kind
        guard request.method == "POST" else {
            let problem = HTTPProblem.methodNotAllowed("POST")
            return connection.refuse(problem, of: request.target, with: refusal(problem))
        }
        connection.answer(HTTPAnswer(.text, Array(state.withLockedValue(\.prefix).utf8) + request.body))
    }

    func bodyLimit(_ segments: [String], _ limit: Int) -> Int { 16 }

    func subprotocol(of segments: [String]) -> String? { owns(segments) ? "echo" : nil }

    func connection(_ target: RequestTarget, _ visitor: RequestOrigin, on loop: EventLoopContext) -> any UpgradedConnection {
        _ = context.admission.withLockedValue { $0.open(EchoConnection.name, limit: nil) }
        return EchoConnection(loop, slot, mailboxes[loop.number].part, context)
    }

    func resident(on loop: EventLoopContext) -> any LoopResident { mailboxes[loop.number].part }

    func collect(on loop: EventLoopContext) -> any Sendable { mailboxes[loop.number].part.echoed }

    func write(_ collected: [any Sendable], _ names: [ApplicationName], to out: inout PrometheusText) {
        let echoed = collected.compactMap { $0 as? Int }.reduce(0, +)
        out.family("echoed_total", .counter, "Messages that went back.", of: service, names) { $0 == slot ? echoed : 0 }
    }

    func close() async {
        state.withLockedValue { $0.isClosed = true }
    }
}

/// The echo connections of one event loop.
final class EchoLoop: LoopPart {
    struct Broadcast: LoopOperation {
        var text: String
        var queuedBytes: Int { text.utf8.count + 64 }
    }

    let loop: EventLoopContext
    var list = ConnectionList<EchoConnection>()
    var echoed = 0

    init(_ loop: EventLoopContext) {
        self.loop = loop
    }

    func perform(_ operations: [Broadcast], from start: Int, budget: Int) -> (next: Int, bytes: Int) {
        for operation in operations[start...] {
            for connection in list.all { connection.write(operation.text) }
        }
        return (operations.count, operations[start...].reduce(0) { $0 + $1.queuedBytes })
    }

    func endTurn(since: MonotonicInstant?) { loop.publishCounters() }
    func sweep(at now: MonotonicInstant) {}
    func connections() -> [any DrainedConnection] { Array(list.all) }
    func cut() { for connection in list.all { connection.cut() } }
}

/// One WebSocket that gets back what it sends.
final class EchoConnection: ChannelInboundHandler, RemovableChannelHandler, UpgradedConnection, DrainedConnection,
    ListedConnection
{
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    static let name = ApplicationName(ServiceName(rawValue: "echo"), "demo")

    private let loop: EventLoopContext
    private let slot: MetricSlot
    private let part: EchoLoop
    private let server: ServerContext
    private var receiver = WebSocketReceiver(
        role: .server, limits: WebSocketLimits(messageBytes: 1 << 24, fragments: 1 << 16, keptBytes: 0))
    private var context: ChannelHandlerContext?
    var place = -1
    private var isClosing = false
    private var isEnded = false

    init(_ loop: EventLoopContext, _ slot: MetricSlot, _ part: EchoLoop, _ server: ServerContext) {
        self.loop = loop
        self.slot = slot
        self.part = part
        self.server = server
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        part.list.add(self)
        loop.state.figures.applications.count(slot) { $0.connectionsAccepted += 1 }
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        do throws(WebSocketViolation) {
            try receiver.receive(&bytes) { answer($0) }
        } catch {
            close(error.closeCode)
        }
    }

    private func answer(_ event: WebSocketEvent) {
        guard !isClosing else {
            if case .close = event { cut() }
            return
        }
        var buffer = ByteBuffer()
        var writer = WebSocketFrameWriter(role: .server)
        switch event {
        case .text(let bytes): writer.writeText(bytes, to: &buffer)
        case .binary(let bytes): writer.writeBinary(bytes, to: &buffer)
        case .ping(let bytes): writer.writePong(bytes, to: &buffer)
        case .pong: return
        case .close(let code, _):
            close(code)
            return cut()
        }
        part.echoed += 1
        context?.write(wrapOutboundOut(buffer), promise: nil)
    }

    func write(_ text: String) {
        var buffer = ByteBuffer()
        var writer = WebSocketFrameWriter(role: .server)
        var text = text
        text.withUTF8 { writer.writeText(UnsafeRawBufferPointer($0), to: &buffer) }
        context?.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    private func close(_ code: WebSocketCloseCode?) {
        guard !isClosing else { return }
        isClosing = true
        var buffer = ByteBuffer()
        var writer = WebSocketFrameWriter(role: .server)
        writer.writeClose(code, to: &buffer)
        context?.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    func drain() { close(.goingAway) }
    func cut() { context?.close(promise: nil) }
    func flushReplies() { context?.flush() }
    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }
    func channelInactive(context: ChannelHandlerContext) { end() }
    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func end() {
        guard !isEnded else { return }
        isEnded = true
        context = nil
        part.list.remove(self)
        server.admission.withLockedValue {
            $0.close(Self.name)
            $0.closeSocket()
        }
    }
}
