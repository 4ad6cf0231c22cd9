import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// A proxy with the method `CONNECT`, which writes down what it was asked.
final class ConnectProxy: Sendable {
    private struct State {
        var requests: [String] = []
    }

    private let state: NIOLockedValueBox<State>
    private let channel: any Channel

    var port: Int { channel.localAddress?.port ?? 0 }
    /// The heads of the requests, in order.
    var requests: [String] { state.withLockedValue { $0.requests } }

    /// - Parameter refusal: what is answered instead of forwarding, as a status line; nil for forwarding.
    init(refusal: String? = nil) async throws {
        let state = NIOLockedValueBox(State())
        self.state = state
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = Front(refusal: refusal) { head in state.withLockedValue { $0.requests.append(head) } }
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    deinit { channel.close(promise: nil) }

    /// The client's side. Runs on its channel's event loop.
    private final class Front: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let refusal: String?
        private let note: @Sendable (String) -> Void
        private var head = ByteBuffer()
        private var server: (any Channel)?

        init(refusal: String?, note: @escaping @Sendable (String) -> Void) {
            self.refusal = refusal
            self.note = note
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = unwrapInboundIn(data)
            if let server {
                server.writeAndFlush(bytes, promise: nil)
                return
            }
            head.writeBuffer(&bytes)
            let text = String(buffer: head)
            guard text.hasSuffix("\r\n\r\n") else { return }
            note(text)
            if let refusal {
                context.writeAndFlush(
                    wrapOutboundOut(ByteBuffer(string: "\(refusal)\r\nContent-Length: 0\r\n\r\n")), promise: nil)
            } else {
                dial(text, context)
            }
        }

        private func dial(_ text: String, _ context: ChannelHandlerContext) {
            let target = text.split(separator: " ").dropFirst().first?.split(separator: ":") ?? []
            guard target.count == 2, let port = Int(target[1]) else { return context.close(promise: nil) }
            let client = context.channel
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            ClientBootstrap(group: context.eventLoop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Back(client: client)) }
                }
                .connect(host: String(target[0]), port: port)
                .whenSuccess { server in
                    let (front, context) = bound.value
                    front.server = server
                    context.writeAndFlush(
                        front.wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n\r\n")), promise: nil)
                }
        }

        func channelInactive(context: ChannelHandlerContext) { server?.close(promise: nil) }
    }

    /// The server's side.
    private final class Back: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let client: any Channel

        init(client: any Channel) { self.client = client }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            client.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { client.close(promise: nil) }
    }
}
