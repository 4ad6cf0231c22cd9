import NIOCore
import NIOPosix
import WebSocketFraming

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

func flushOutput() { fflush(nil) }

/// Answers the upgrade and says every message back, with the framing of the server.
struct EchoServer {
    private let channel: any Channel

    var port: Int { channel.localAddress?.port ?? 0 }

    static func start() async throws -> EchoServer {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(EchoHandler()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return EchoServer(channel: channel)
    }

    func closed() async throws { try await channel.closeFuture.get() }
}

/// One connection. On its event loop.
private final class EchoHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var head: [UInt8] = []
    private var isUpgraded = false
    private var isOver = false
    private var receiver = WebSocketReceiver(role: .server, limits: ConformanceEcho.limits)
    private var writer = WebSocketFrameWriter(role: .server)

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        if !isUpgraded { upgrade(&buffer, context) }
        if isUpgraded && !isOver && buffer.readableBytes > 0 { echo(&buffer, context) }
    }

    private func upgrade(_ buffer: inout ByteBuffer, _ context: ChannelHandlerContext) {
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard let byte: UInt8 = buffer.readInteger(), head.count < 1 << 16 else { return }
            head.append(byte)
        }
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let fields = lines.dropFirst().map { line -> HeaderField in
            let name = line.prefix { $0 != ":" }
            return (String(name), String(line.dropFirst(name.count + 1)))
        }
        let method = lines.first?.split(separator: " ").first ?? ""
        let answer: String
        do throws(ServerHandshake.Fault) {
            let handshake = try ServerHandshake(method: String(method), fields: fields)
            answer = text("101 Switching Protocols", handshake.responseFields)
            isUpgraded = true
        } catch {
            answer = text("\(error.status) Refused", error.responseFields + [("Content-Length", "0"), ("Connection", "close")])
            isOver = true
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        if isOver { context.close(promise: nil) }
    }

    private func text(_ status: String, _ fields: [HeaderField]) -> String {
        "HTTP/1.1 \(status)\r\nServer: lifeline\r\n" + fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
    }

    private func echo(_ buffer: inout ByteBuffer, _ context: ChannelHandlerContext) {
        var answers = ByteBuffer()
        do throws(WebSocketViolation) {
            try receiver.receive(&buffer) { event in
                switch event {
                case .text(let bytes): writer.writeText(bytes, to: &answers)
                case .binary(let bytes): writer.writeBinary(bytes, to: &answers)
                case .ping(let bytes): writer.writePong(bytes, to: &answers)
                case .pong: break
                case .close(let code, _):
                    writer.writeClose(code, to: &answers)
                    isOver = true
                }
            }
        } catch {
            writer.writeClose(error.closeCode, to: &answers)
            isOver = true
        }
        if answers.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(answers), promise: nil) }
        // What the peer still sends is read and dropped: to close both ways would reset the connection, and the close frame be lost.
        if isOver { context.close(mode: .output, promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
