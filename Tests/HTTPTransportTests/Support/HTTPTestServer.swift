import ConnectionEngine
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// A server that answers each request with bytes that the test chose, right or wrong.
final class HTTPTestServer: Sendable {
    enum Reply: Sendable {
        case bytes(String)
        /// Bytes, and then the end of the connection.
        case last(String)
        case silence
    }

    private let channel: any Channel
    private let log = NIOLockedValueBox<[String]>([])
    private let connections = NIOLockedValueBox(0)

    var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/auth" }
    var endpoint: HTTPEndpoint {
        HTTPEndpoint(host: "127.0.0.1", port: channel.localAddress?.port ?? 0, usesTLS: false)
    }
    /// Every request so far, head and body.
    var requests: [String] { log.withLockedValue { $0 } }
    var connectionCount: Int { connections.withLockedValue { $0 } }

    init(_ respond: @escaping @Sendable (String) -> Reply) async throws {
        let (log, connections) = (log, connections)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                connections.withLockedValue { $0 += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        RequestHandler { request in
                            log.withLockedValue { $0.append(request) }
                            return respond(request)
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    deinit { channel.close(promise: nil) }
}

private final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let respond: (String) -> HTTPTestServer.Reply
    private var bytes = ""

    init(respond: @escaping (String) -> HTTPTestServer.Reply) {
        self.respond = respond
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += String(buffer: unwrapInboundIn(data))
        while let request = takeRequest(from: &bytes) {
            switch respond(request) {
            case .bytes(let answer):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
            case .last(let answer):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
                context.close(promise: nil)
            case .silence: break
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// A well-formed answer.
func answer(_ status: String, _ body: String = "", headers: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
}
