import ConnectionEngine
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import SocketTestSupport
import WebSocketFraming

@testable import WebSocketTransport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A server that does nothing by itself: tests tell it what to answer, byte by byte.
final class TestServer: Sendable {
    let peers = Inbox<TestPeer>()
    private let channel: any Channel

    var port: Int { channel.localAddress?.port ?? 0 }

    /// - Parameter greeting: is sent to everybody at once. A client of another program that still looks for a server on this port, which
    ///   had it before, may be the first one to come: what is sent to the first of ``peers`` alone may go to a stranger.
    init(host: String = "127.0.0.1", tls: NIOSSLContext? = nil, greeting: String? = nil) async throws {
        let peers = peers
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 64)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    let peer = TestPeer(channel: channel)
                    try channel.pipeline.syncOperations.addHandler(PeerHandler(peer: peer))
                    peers.put(peer)
                    if let greeting { channel.eventLoop.execute { peer.write(greeting) } }
                }
            }
            .bind(host: host, port: 0).get()
    }

    deinit { channel.close(promise: nil) }

    func endpoint(host: String = "127.0.0.1", tls: Bool = false, target: String = "/app/key?v=1") -> WebSocketEndpoint {
        WebSocketEndpoint(host: host, port: port, usesTLS: tls, target: target)
    }

    /// A client that has dialled, and the server's end of its connection after the upgrade.
    func connected(_ configuration: WebSocketTransportConfiguration = .init()) async throws -> (TestClient, TestPeer) {
        let client = TestClient(configuration)
        client.open(endpoint())
        let peer = try await peers.next()
        try await peer.accept()
        try await client.opened()
        return (client, peer)
    }
}

/// What a server sees of a client's frames.
enum PeerEvent: Hashable, Sendable {
    case text(String)
    case binary([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(Int?)
    case violation
    /// The client hung up.
    case end
}

/// The server's end of one connection.
final class TestPeer: Sendable {
    let channel: any Channel
    let requests = Inbox<String>()
    let frames = Inbox<PeerEvent>()
    /// When the connection was accepted.
    let arrival = NIODeadline.now()

    init(channel: any Channel) {
        self.channel = channel
    }

    func write(_ bytes: [UInt8]) {
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    /// The right answer to the client's request.
    func answer(extra: String = "") async throws -> [UInt8] {
        let request = try await requests.next()
        let line = request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("sec-websocket-key:") } ?? ""
        let key = line.drop { $0 != ":" }.dropFirst().drop { $0 == " " }
        let accept = WebSocketKey(key)?.accept ?? "no key"
        return Array(
            ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: \(accept)\r\n\(extra)\r\n").utf8)
    }

    /// Answers the upgrade; `behind` follows in the same segment.
    func accept(behind: [UInt8] = [], extra: String = "") async throws {
        write(try await answer(extra: extra) + behind)
    }

    func close() { channel.close(promise: nil) }

    /// Closes without the message by which TLS says that nothing follows.
    func cut() {
        channel.eventLoop.execute { [channel] in
            let tls = try? channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
            tls?.close(promise: nil)
        }
    }

    /// Closes with a reset instead of a FIN.
    func reset() {
        guard let options = channel as? any SocketOptionProvider else { return close() }
        options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { [channel] _ in channel.close(promise: nil) }
    }
}

private final class PeerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let peer: TestPeer
    private var request: [UInt8] = []
    private var isUpgraded = false
    private var receiver = WebSocketReceiver(role: .server, limits: WebSocketLimits(messageBytes: 1 << 24))

    init(peer: TestPeer) {
        self.peer = peer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        while !isUpgraded, let byte: UInt8 = buffer.readInteger() {
            request.append(byte)
            if request.suffix(4) == Array("\r\n\r\n".utf8) {
                let text = String(decoding: request, as: UTF8.self)
                // Behind a request for a tunnel comes another one.
                isUpgraded = !text.hasPrefix("CONNECT ")
                request = []
                peer.requests.put(text)
            }
        }
        do {
            try receiver.receive(&buffer) { event in
                switch event {
                case .text(let bytes): peer.frames.put(.text(String(decoding: bytes, as: UTF8.self)))
                case .binary(let bytes): peer.frames.put(.binary(Array(bytes)))
                case .ping(let bytes): peer.frames.put(.ping(Array(bytes)))
                case .pong(let bytes): peer.frames.put(.pong(Array(bytes)))
                case .close(let code, _): peer.frames.put(.close(code.map { Int($0.rawValue) }))
                }
            }
        } catch {
            peer.frames.put(.violation)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { peer.frames.put(.end) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// An unmasked frame as bytes.
func frame(_ opcode: UInt8, _ payload: [UInt8] = [], final: Bool = true) -> [UInt8] {
    let head: UInt8 = (final ? 0x80 : 0) | opcode
    if payload.count < 126 { return [head, UInt8(payload.count)] + payload }
    return [head, 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
}

func text(_ text: String) -> [UInt8] { frame(1, Array(text.utf8)) }

func closeFrame(_ code: Int, _ reason: String = "") -> [UInt8] {
    frame(8, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
}
