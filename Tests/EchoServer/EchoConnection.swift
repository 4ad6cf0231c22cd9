import NIOCore
import ServerRuntime
import ServerValues
import WebSocketFraming

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
    private let front: EchoFront
    private let part: EchoLoop

    init(_ front: EchoFront, _ service: WebSocketService, _ slot: MetricSlot, _ part: EchoLoop) {
        self.front = front
        self.part = part
        super.init(service, on: part.loop, slot: slot)
    }

    override func begin() {
        part.list.add(self)
        front.count(connections: 1)
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
        front.count(connections: -1)
        front.context.admission.withLockedValue { $0.close(EchoFront.application) }
    }
}
