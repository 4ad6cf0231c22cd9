import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import WireCoding

/// An application's own server: takes what webhooks post, and answers as a test wants.
final class WebhookReceiver: Sendable {
    enum Manner: Sendable {
        case answer(Int)
        /// Sends the client elsewhere.
        case redirect(String)
        /// Reads and never answers.
        case hang
        /// Never answers requests whose path begins so, and takes all others.
        case hangAt(String)
        /// Closes the connection instead of an answer.
        case hangUp
    }

    struct Post: Sendable {
        var fields: [String: String]
        var bytes: [UInt8]
        var body: JSONValue

        /// The events of a chat application.
        var items: [JSONValue] { body["data"]?.array ?? [] }
        /// The events of a Pusher application.
        var events: [JSONValue] { body["events"]?.array ?? [] }
    }

    private struct State: Sendable {
        var manner: Manner
        var posts: [Post] = []
        var connections = 0
        var mostConnections = 0
    }

    private let state: NIOLockedValueBox<State>
    private let channel: any Channel

    private init(_ state: NIOLockedValueBox<State>, _ channel: any Channel) {
        self.state = state
        self.channel = channel
    }

    static func start(_ manner: Manner = .answer(200)) async throws -> WebhookReceiver {
        let state = NIOLockedValueBox(State(manner: manner))
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(state))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return WebhookReceiver(state, channel)
    }

    var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/hook" }

    /// All posts, whatever came of them.
    var posts: [Post] { state.withLockedValue(\.posts) }

    /// How many connections were open at a time.
    var mostConnections: Int { state.withLockedValue(\.mostConnections) }

    func set(_ manner: Manner) { state.withLockedValue { $0.manner = manner } }

    func stop() async { try? await channel.close() }

    private final class Handler: ChannelInboundHandler, Sendable {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let state: NIOLockedValueBox<State>
        private let current = NIOLockedValueBox<(fields: [String: String], body: [UInt8])>(([:], []))

        init(_ state: NIOLockedValueBox<State>) {
            self.state = state
        }

        func channelActive(context: ChannelHandlerContext) {
            state.withLockedValue { state in
                state.connections += 1
                state.mostConnections = max(state.mostConnections, state.connections)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            state.withLockedValue { $0.connections -= 1 }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                let fields =
                    head.headers.map { ($0.name.lowercased(), $0.value) } + [
                        ("method", head.method.rawValue), ("path", head.uri),
                    ]
                current.withLockedValue { $0 = (Dictionary(fields) { _, last in last }, []) }
            case .body(let bytes): current.withLockedValue { $0.body += bytes.readableBytesView }
            case .end: finish(context)
            }
        }

        private func finish(_ context: ChannelHandlerContext) {
            let (fields, body) = current.withLockedValue { $0 }
            let manner = state.withLockedValue { state in
                state.posts.append(Post(fields: fields, bytes: body, body: (try? JSONValue(parsing: body)) ?? .null))
                return state.manner
            }
            switch manner {
            case .hang: return
            case .hangAt(let path): if fields["path"]?.hasPrefix(path) != true { answer(context, 200, [:]) }
            case .hangUp: context.close(promise: nil)
            case .answer(let status): answer(context, status, [:])
            case .redirect(let url): answer(context, 307, ["location": url])
            }
        }

        private func answer(_ context: ChannelHandlerContext, _ status: Int, _ fields: [String: String]) {
            var head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status))
            head.headers.add(name: "content-length", value: "0")
            for (name, value) in fields { head.headers.add(name: name, value: value) }
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
