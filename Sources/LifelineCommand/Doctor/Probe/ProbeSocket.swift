import NIOCore
import WebSocketFraming

/// A WebSocket connection that is read message by message.
actor ProbeSocket {
    enum Message: Hashable, Sendable {
        case text(String)
        case close(Int?, String)
    }

    private let link: ProbeLink
    private var receiver = WebSocketReceiver(role: .client)
    private var writer = WebSocketFrameWriter(role: .client)
    private var messages: [Message] = []

    init(_ link: ProbeLink) {
        self.link = link
    }

    func send(_ text: String) {
        var buffer = ByteBuffer()
        writer.writeText(text, to: &buffer)
        link.write(Array(buffer.readableBytesView))
    }

    /// Sends a close frame; the connection is closed when the object is released.
    func close() {
        var buffer = ByteBuffer()
        writer.writeClose(.normal, to: &buffer)
        link.write(Array(buffer.readableBytesView))
    }

    /// The next message that is not a ping. Pings before it are answered.
    ///
    /// - Throws: ``ProbeTimeout``, ``ProbeEnd``, or the error of an invalid frame.
    func next(until deadline: ContinuousClock.Instant) async throws -> Message {
        while messages.isEmpty {
            let left = ContinuousClock.now.duration(to: deadline)
            if left <= .zero { throw ProbeTimeout() }
            var buffer = ByteBuffer(bytes: try await link.read(within: TimeAmount(left)))
            var pings: [[UInt8]] = []
            try receiver.receive(&buffer) { event in
                switch event {
                case .text(let bytes): messages.append(.text(String(decoding: bytes, as: UTF8.self)))
                case .close(let code, let reason):
                    messages.append(.close(code.map { Int($0.rawValue) }, String(decoding: reason, as: UTF8.self)))
                case .ping(let bytes): pings.append(Array(bytes))
                case .pong, .binary: break
                }
            }
            for ping in pings { pong(ping) }
        }
        return messages.removeFirst()
    }

    private func pong(_ payload: [UInt8]) {
        var buffer = ByteBuffer()
        payload.withUnsafeBytes { writer.writePong($0, to: &buffer) }
        link.write(Array(buffer.readableBytesView))
    }
}
