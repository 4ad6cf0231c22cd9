import ConnectionEngine
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import SocketTestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A server that does nothing by itself: tests take its connections and tell it what to answer, byte by byte.
final class PollServer: Sendable {
    let peers = Inbox<PollPeer>()
    private let accepted = NIOLockedValueBox(0)
    private let channel: any Channel

    var port: Int { channel.localAddress?.port ?? 0 }
    var endpoint: HTTPEndpoint { HTTPEndpoint(host: "127.0.0.1", port: port, usesTLS: false) }
    /// How many connections there were so far.
    var connectionCount: Int { accepted.withLockedValue { $0 } }

    init(tls: NIOSSLContext? = nil) async throws {
        let (peers, accepted) = (peers, accepted)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 64)
            .childChannelInitializer { channel in
                accepted.withLockedValue { $0 += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    let peer = PollPeer(channel: channel)
                    try channel.pipeline.syncOperations.addHandler(PollPeerHandler(peer: peer))
                    peers.put(peer)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    deinit { channel.close(promise: nil) }

    /// Accepts no more connections.
    func stop() async throws { try await channel.close() }
}

/// The server's end of one connection.
final class PollPeer: Sendable {
    let channel: any Channel
    /// Complete requests, head and body.
    let requests = Inbox<String>()
    /// The client hung up.
    let ended = Inbox<Bool>()
    /// What came first: a request or the end.
    let first = Inbox<First>()
    enum First { case request, end }
    /// Everything that came, read by read.
    let reads = Inbox<[UInt8]>()

    init(channel: any Channel) {
        self.channel = channel
    }

    func write(_ text: String) {
        channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
    }

    func answer(_ body: String = "{}", status: String = "200 OK", headers: String = "Content-Type: text/javascript\r\n") {
        write(HTTPTransportTests.answer(status, body, headers: headers))
    }

    /// Waits for a request and answers it.
    func serve(_ body: String = "{}") async throws {
        _ = try await requests.next()
        answer(body)
    }

    func close() { channel.close(promise: nil) }

    /// Closes with a reset instead of a FIN.
    func reset() {
        guard let options = channel as? any SocketOptionProvider else { return close() }
        options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { [channel] _ in channel.close(promise: nil) }
    }
}

private final class PollPeerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let peer: PollPeer
    private var bytes = ""

    init(peer: PollPeer) {
        self.peer = peer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        peer.reads.put(Array(buffer.readableBytesView))
        bytes += String(buffer: buffer)
        while let request = takeRequest(from: &bytes) {
            peer.first.put(.request)
            peer.requests.put(request)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        peer.first.put(.end)
        peer.ended.put(true)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Takes one complete request, head and body, off the front of `bytes`.
func takeRequest(from bytes: inout String) -> String? {
    let lines = bytes.split(separator: "\r\n", omittingEmptySubsequences: false)
    guard let end = lines.firstIndex(of: "") else { return nil }
    let length =
        lines[..<end].first { $0.lowercased().hasPrefix("content-length:") }
        .flatMap { Int($0.dropFirst("content-length:".count).drop { $0 == " " }) } ?? 0
    let head = lines[..<end].joined(separator: "\r\n") + "\r\n\r\n"
    guard bytes.utf8.count >= head.utf8.count + length else { return nil }
    let request = String(decoding: bytes.utf8.prefix(head.utf8.count + length), as: UTF8.self)
    bytes = String(decoding: bytes.utf8.dropFirst(request.utf8.count), as: UTF8.self)
    return request
}
