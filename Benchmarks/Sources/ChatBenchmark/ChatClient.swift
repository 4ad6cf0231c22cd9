import ChatProtocol
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import WebSocketFraming

/// A client without a machine above it: frames in, frames out, on the loop of its channel.
final class ChatClient: ChannelInboundHandler, @unchecked Sendable {
    // Unchecked: everything but `ready` is touched on the channel's event loop only.
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let hello: ChatHello
    private let ready: EventLoopPromise<Void>
    private let onFrame: (ChatClient, ChatInbound) -> Void
    private var isUpgraded = false
    private var isReady = false
    private var head = ByteBuffer()
    private var receiver = WebSocketReceiver(role: .client, limits: WebSocketLimits(messageBytes: 1 << 24, keptBytes: 0))
    private var writer = WebSocketFrameWriter(role: .client)
    private var decoder = ChatFrameDecoder(rememberedNames: 0)
    private(set) var context: ChannelHandlerContext?
    /// The last place that was seen, and how many since the last acknowledgement.
    private var place: UInt64 = 0
    private var unacknowledged = 0

    private init(
        _ hello: ChatHello, _ ready: EventLoopPromise<Void>, _ onFrame: @escaping (ChatClient, ChatInbound) -> Void
    ) {
        self.hello = hello
        self.ready = ready
        self.onFrame = onFrame
    }

    /// Connects and goes live; `onFrame` gets whatever comes, on the event loop.
    static func connect(
        to target: Target, token: String, device: String, on loop: any EventLoop,
        _ onFrame: @escaping @Sendable (ChatClient, ChatInbound) -> Void
    ) async throws -> ChatClient {
        let hello = ChatHello(
            appKey: "app-key", token: token, device: ChatDevice(id: device, system: "Linux"), client: "benchmark/1")
        let ready = loop.makePromise(of: Void.self)
        let client = ChatClient(hello, ready, onFrame)
        do {
            _ = try await ClientBootstrap(group: loop)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelOption(.socketOption(.so_reuseaddr), value: 1)
                .channelOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 65_536))
                .channelInitializer { $0.pipeline.addHandler(client) }
                .connect(host: target.host, port: target.port).get()
        } catch {
            ready.fail(error)
        }
        try await ready.futureResult.get()
        return client
    }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        let request =
            "GET /nexconn/v1 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Protocol: nexconn.lifeline.v1\r\n\r\n"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if !isUpgraded {
            head.writeBuffer(&bytes)
            let view = head.readableBytesView
            guard let end = (4...max(view.count, 4)).first(where: { view.prefix($0).suffix(4).elementsEqual("\r\n\r\n".utf8) })
            else { return }
            isUpgraded = true
            head.moveReaderIndex(forwardBy: end)
            bytes = head
            head = ByteBuffer()
            send(.hello(hello))
            flush()
        }
        var frames: [ChatInbound] = []
        do {
            try receiver.receive(&bytes) { event in
                switch event {
                case .text(let text): if let frame = decoder.text(text) { frames.append(frame) }
                case .ping, .pong, .binary: return
                case .close(_, let reason): fail("closed: " + String(decoding: reason, as: UTF8.self))
                }
            }
        } catch {
            fail("\(error)")
        }
        for frame in frames { take(frame) }
    }

    private func take(_ frame: ChatInbound) {
        switch frame {
        case .package(let items, let hasMore):
            if let last = items.last { acknowledge(last.sequence) }
            if !hasMore, !isReady {
                isReady = true
                ready.succeed()
            }
        case .event(let item):
            unacknowledged += 1
            place = item.sequence
            if unacknowledged >= 100 { acknowledge(place) }
        case .bye(let bye): return fail("bye \(bye.code): \(bye.reason)")
        case .malformed(let reason): return fail(reason)
        default: break
        }
        onFrame(self, frame)
    }

    private func acknowledge(_ sequence: UInt64) {
        unacknowledged = 0
        send(.acknowledge(sequence))
        flush()
    }

    func send(_ frame: ChatClientFrame) {
        var buffer = ByteBuffer()
        ChatClientFrames.bytes(frame).withUnsafeBytes { writer.writeText($0, to: &buffer) }
        context?.write(wrapOutboundOut(buffer), promise: nil)
    }

    func flush() {
        context?.flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !isReady { fail("the connection ended") }
    }

    private func fail(_ reason: String) {
        if isReady {
            print("client failed: \(reason)")
        } else {
            isReady = true
            ready.fail(Failure(description: reason))
        }
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }
}

struct Target: Sendable {
    var host = "127.0.0.1"
    var port = 6001
}
