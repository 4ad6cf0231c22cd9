import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import WebSocketFraming

/// A server on loopback that answers as a test says, right or wrong.
final class ScriptedServer: Sendable {
    enum Reply: Sendable {
        /// These bytes.
        case bytes(String)
        /// These bytes, and then the end of the connection.
        case last(String)
        case silence
        /// The beginning of an answer, then one of these every tenth of a second.
        case drip([String])
        /// The right answer to an upgrade with these header lines, then the frames.
        case upgrade(String = "", [Reaction])
    }

    enum Reaction: Sendable {
        case text(String)
        case close(Int, String)
        case cut
    }

    struct Script: Sendable {
        /// What a request is answered with.
        var respond: @Sendable (String) -> Reply
        /// What a text message is answered with.
        var message: @Sendable (String) -> [Reaction] = { _ in [] }
    }

    private let channel: any Channel
    private let log = NIOLockedValueBox<[String]>([])

    var port: Int { channel.localAddress?.port ?? 0 }
    /// The requests so far, heads only.
    var requests: [String] { log.withLockedValue { $0 } }

    init(tls: NIOSSLContext? = nil, _ script: Script) async throws {
        let log = log
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    try pipeline.addHandler(ScriptHandler(script) { head in log.withLockedValue { $0.append(head) } })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    convenience init(tls: NIOSSLContext? = nil, _ respond: @escaping @Sendable (String) -> Reply) async throws {
        try await self.init(tls: tls, Script(respond: respond))
    }

    deinit { channel.close(promise: nil) }

    static let handshake = Reaction.text(
        #"{"event":"pusher:connection_established","data":"{\"socket_id\":\"1.2\",\"activity_timeout\":120}"}"#)

    /// A server that speaks enough of the Pusher protocol; `message` changes what it answers to messages that have `word` in them.
    static func pusher(
        headers: String = "", greeting: [Reaction] = [handshake], on word: String = "\u{0}",
        _ message: @escaping @Sendable (String) -> [Reaction] = { _ in [] }
    ) -> Script {
        Script { head in
            if head.hasPrefix("POST /apps/") { return .bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}") }
            guard head.hasPrefix("GET /app/") else {
                return .last("HTTP/1.1 404 Not Found\r\n\(headers)Content-Length: 0\r\n\r\n")
            }
            return .upgrade("", greeting)
        } message: { text in
            if text.contains(word) { return message(text) }
            if text.contains("pusher:ping") { return [.text(#"{"event":"pusher:pong","data":{}}"#)] }
            guard let channel = text.split(separator: "\"").first(where: { $0.contains("lifeline-doctor") }) else { return [] }
            return [.text(#"{"event":"pusher_internal:subscription_succeeded","channel":"\#(channel)","data":"{}"}"#)]
        }
    }
}

private final class ScriptHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let script: ScriptedServer.Script
    private let heard: (String) -> Void
    private var bytes: [UInt8] = []
    private var receiver: WebSocketReceiver?
    private var writer = WebSocketFrameWriter(role: .server)

    init(_ script: ScriptedServer.Script, heard: @escaping (String) -> Void) {
        self.script = script
        self.heard = heard
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        guard receiver == nil else { return receive(&buffer, context) }
        bytes += Array(buffer.readableBytesView)
        let head: String
        if bytes.first == 0x16 {
            // A client's hello of TLS is a bad request to who does not speak it, and not the beginning of one.
            head = "\u{16}"
        } else {
            let text = String(decoding: bytes, as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { return }
            head = String(text[..<end.lowerBound])
            heard(head)
        }
        bytes = []
        switch script.respond(head) {
        case .bytes(let answer): write(answer, context)
        case .last(let answer):
            write(answer, context)
            context.close(promise: nil)
        case .silence: break
        case .drip(let pieces):
            write("HTTP/1.1 200 OK\r\n", context)
            drip(pieces[...], context.channel)
        case .upgrade(let fields, let reactions):
            receiver = WebSocketReceiver(role: .server)
            let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("sec-websocket-key:") } ?? ""
            let accept = WebSocketKey(line.drop { $0 != " " }.dropFirst())?.accept ?? ""
            write(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: \(accept)\r\n\(fields)\r\n", context)
            react(reactions, context)
        }
    }

    private func drip(_ pieces: ArraySlice<String>, _ channel: any Channel) {
        guard let first = pieces.first, channel.isActive else { return }
        channel.writeAndFlush(ByteBuffer(string: first), promise: nil)
        channel.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(100)) { self.drip(pieces.dropFirst(), channel) }
    }

    private func receive(_ buffer: inout ByteBuffer, _ context: ChannelHandlerContext) {
        var texts: [String] = []
        try? receiver?.receive(&buffer) { event in
            if case .text(let bytes) = event { texts.append(String(decoding: bytes, as: UTF8.self)) }
        }
        for text in texts { react(script.message(text), context) }
    }

    private func react(_ reactions: [ScriptedServer.Reaction], _ context: ChannelHandlerContext) {
        for reaction in reactions {
            var buffer = ByteBuffer()
            switch reaction {
            case .text(let text): writer.writeText(text, to: &buffer)
            case .close(let code, let reason): writer.writeClose(.init(rawValue: UInt16(code)), reason: reason, to: &buffer)
            case .cut: return context.close(promise: nil)
            }
            context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
        }
    }

    private func write(_ text: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension String {
    fileprivate func range(of text: String) -> Range<String.Index>? { firstRange(of: text) }
}
