import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// A TCP relay in front of a server that swallows the server's answers, or breaks every connection, as a test says.
final class OutageRelay: Sendable {
    enum Mode: Sendable {
        case passing
        /// What clients send arrives; what the server answers does not.
        case swallowing
        /// Connections are closed as soon as they are there.
        case refusing
    }

    private struct State {
        var mode = Mode.passing
        /// The server's port.
        var upstream: Int
        var lines: [ObjectIdentifier: [any Channel]] = [:]
        var waiters: [CheckedContinuation<Void, Never>] = []
        var listener: (any Channel)?
    }

    private let state: NIOLockedValueBox<State>

    static func start(to port: Int) async throws -> OutageRelay {
        let relay = OutageRelay(upstream: port)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { [weak relay] in relay?.accept($0) ?? $0.close() }
            .bind(host: "127.0.0.1", port: 0).get()
        relay.state.withLockedValue { $0.listener = listener }
        return relay
    }

    private init(upstream: Int) {
        state = NIOLockedValueBox(State(upstream: upstream))
    }

    var port: Int { state.withLockedValue { $0.listener?.localAddress?.port ?? 0 } }

    func pass() { state.withLockedValue { $0.mode = .passing } }

    /// Passes to another server from now on.
    func pass(to port: Int) {
        state.withLockedValue { state in
            state.upstream = port
            state.mode = .passing
        }
    }

    func swallowAnswers() { state.withLockedValue { $0.mode = .swallowing } }

    /// Closes every connection, and each new one.
    func refuse() {
        let lines = state.withLockedValue { state in
            state.mode = .refusing
            return state.lines.values.flatMap { $0 }
        }
        for channel in lines { channel.close(promise: nil) }
    }

    /// Returns when no client is connected any more.
    func untilNobodyIsConnected() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLockedValue { state in
                if !state.lines.isEmpty { state.waiters.append(continuation) }
                return state.lines.isEmpty
            }
            if isOver { continuation.resume() }
        }
    }

    func stop() async {
        refuse()
        try? await state.withLockedValue { $0.listener }?.close()
    }

    private func accept(_ client: any Channel) -> EventLoopFuture<Void> {
        let id = ObjectIdentifier(client)
        let isRefusing = state.withLockedValue { state in
            if state.mode != .refusing { state.lines[id] = [client] }
            return state.mode == .refusing
        }
        if isRefusing { return client.close() }
        client.closeFuture.whenComplete { [weak self] _ in self?.forget(id) }
        return ClientBootstrap(group: client.eventLoop)
            .channelInitializer { server in
                server.pipeline.addHandler(Forwarding(to: client) { [weak self] in self?.mode == .passing })
            }
            .connect(host: "127.0.0.1", port: state.withLockedValue { $0.upstream })
            .flatMap { server in
                self.state.withLockedValue { $0.lines[id]?.append(server) }
                return client.pipeline.addHandler(Forwarding(to: server) { true })
            }
    }

    private var mode: Mode { state.withLockedValue { $0.mode } }

    private func forget(_ id: ObjectIdentifier) {
        let waiters = state.withLockedValue { state -> [CheckedContinuation<Void, Never>] in
            state.lines[id] = nil
            guard state.lines.isEmpty else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// Hands what one side of a connection brings to the other, while it may.
private final class Forwarding: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let isPassing: @Sendable () -> Bool

    init(to other: any Channel, while isPassing: @escaping @Sendable () -> Bool) {
        self.other = other
        self.isPassing = isPassing
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isPassing() { other.writeAndFlush(unwrapInboundIn(data), promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        other.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
