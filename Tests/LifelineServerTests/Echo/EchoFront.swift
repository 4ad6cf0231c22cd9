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
    private let webSockets: WebSocketService
    private let state = NIOLockedValueBox((prefix: "", isClosed: false))

    init(_ context: ServerContext) {
        self.context = context
        mailboxes = context.loops.map { EventLoopMailbox($0.queue, EchoLoop($0)) }
        kind = context.requestKinds.add("echo")
        slot = context.names.slot(service, "demo")
        webSockets = WebSocketService(
            context, of: service, messageBytes: 1 << 24, silence: .seconds(120), pongTimeout: .seconds(30))
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

    func connection(_ target: RequestTarget, _ visitor: RequestOrigin, on loop: EventLoopContext) -> WebSocketConnection {
        _ = context.admission.withLockedValue { $0.open(EchoConnection.name, limit: nil) }
        return EchoConnection(webSockets, slot, mailboxes[loop.number].part)
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
final class EchoLoop: WebSocketLoop {
    struct Broadcast: LoopOperation {
        var text: String
        var queuedBytes: Int { text.utf8.count + 64 }
    }

    let loop: EventLoopContext
    let writer: ConnectionWriter
    var list = ConnectionList<EchoConnection>()
    var echoed = 0

    init(_ loop: EventLoopContext) {
        self.loop = loop
        writer = ConnectionWriter(loop)
    }

    func perform(_ operations: [Broadcast], from start: Int, budget: Int) -> (next: Int, bytes: Int) {
        for operation in operations[start...] {
            var frame = ByteBuffer()
            var frames = WebSocketFrameWriter(role: .server)
            var text = operation.text
            text.withUTF8 { frames.writeText(UnsafeRawBufferPointer($0), to: &frame) }
            for connection in list.all { writer.write(frame, to: connection) }
        }
        writer.flush()
        return (operations.count, operations[start...].reduce(0) { $0 + $1.queuedBytes })
    }

    func endTurn(since: MonotonicInstant?) { loop.publishCounters() }
}

/// One WebSocket that gets back what it sends.
final class EchoConnection: WebSocketConnection {
    static let name = ApplicationName(ServiceName(rawValue: "echo"), "demo")

    private let part: EchoLoop
    private let server: ServerContext

    init(_ service: WebSocketService, _ slot: MetricSlot, _ part: EchoLoop) {
        self.part = part
        server = service.context
        super.init(service, on: part.loop, slot: slot)
    }

    override func begin() {
        part.list.add(self)
        loop.state.figures.applications.count(slot) { $0.connectionsAccepted += 1 }
    }

    override func receive(_ text: UnsafeRawBufferPointer, at now: MonotonicInstant) {
        var frame = ByteBuffer()
        var writer = WebSocketFrameWriter(role: .server)
        writer.writeText(text, to: &frame)
        echo(frame)
    }

    override func receive(binary: UnsafeRawBufferPointer, at now: MonotonicInstant) {
        var frame = ByteBuffer()
        var writer = WebSocketFrameWriter(role: .server)
        writer.writeBinary(binary, to: &frame)
        echo(frame)
    }

    private func echo(_ frame: ByteBuffer) {
        part.echoed += 1
        reply(frame)
    }

    override func finish() {
        part.list.remove(self)
        server.admission.withLockedValue { $0.close(Self.name) }
    }
}
