import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// A TCP relay between the demo's clients and its server that breaks the link on request.
final class FaultRelay: Sendable {
    enum Mode: Sendable {
        /// Carries everything both ways.
        case pass
        /// Swallows everything both ways and closes nothing; new links are accepted and swallowed too.
        case halfOpen
        /// Accepts nothing: the port is closed.
        case refuse
    }

    private struct State {
        var mode = Mode.pass
        var listener: (any Channel)?
        var links: [ObjectIdentifier: any Channel] = [:]
    }

    private let state = NIOLockedValueBox(State())
    private let group: any EventLoopGroup
    private let upstream: Int
    let port: Int

    private init(group: any EventLoopGroup, upstream: Int, port: Int) {
        self.group = group
        self.upstream = upstream
        self.port = port
    }

    /// Starts a relay on a free port of the loopback interface.
    static func start(upstream: Int) async throws -> FaultRelay {
        let group = MultiThreadedEventLoopGroup.singleton
        let probe = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
        let port = probe.localAddress?.port ?? 0
        try await probe.close().get()
        let relay = FaultRelay(group: group, upstream: upstream, port: port)
        try await relay.listen()
        return relay
    }

    /// Switches the mode; open links follow it at once.
    func set(_ mode: Mode) async throws {
        let listener = state.withLockedValue { state in
            state.mode = mode
            guard mode == .refuse else { return state.listener }
            defer { state.listener = nil }
            return state.listener
        }
        if mode == .refuse {
            try await listener?.close().get()
        } else if listener == nil {
            try await listen()
        }
    }

    /// Resets every open link.
    func cut() {
        let links = state.withLockedValue { state in
            defer { state.links = [:] }
            return Array(state.links.values)
        }
        for link in links {
            // Closing with a linger time of zero sends a reset instead of a farewell.
            let option = (link as? any SocketOptionProvider)?.setSoLinger(NIOLinger(l_onoff: 1, l_linger: 0))
            (option ?? link.eventLoop.makeSucceededVoidFuture()).whenComplete { _ in link.close(promise: nil) }
        }
    }

    func stop() async throws {
        cut()
        try await set(.refuse)
    }

    fileprivate var isCarrying: Bool { state.withLockedValue { $0.mode != .halfOpen } }

    private func listen() async throws {
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { [self] client in accept(client) }
            .bind(host: "127.0.0.1", port: port).get()
        state.withLockedValue { $0.listener = listener }
    }

    /// Dials the server for a new client; what the client says meanwhile waits in its socket.
    private func accept(_ client: any Channel) -> EventLoopFuture<Void> {
        state.withLockedValue { $0.links[ObjectIdentifier(client)] = client }
        client.closeFuture.whenComplete { [weak self] _ in
            self?.state.withLockedValue { _ = $0.links.removeValue(forKey: ObjectIdentifier(client)) }
        }
        let upstream = upstream
        return client.setOption(.autoRead, value: false).flatMap { [self] in
            ClientBootstrap(group: client.eventLoop).connect(host: "127.0.0.1", port: upstream).flatMap { [self] server in
                do {
                    try client.pipeline.syncOperations.addHandler(Carrier(to: server, relay: self))
                    try server.pipeline.syncOperations.addHandler(Carrier(to: client, relay: self))
                } catch {
                    return client.eventLoop.makeFailedFuture(error)
                }
                return client.setOption(.autoRead, value: true)
            }
        }
    }
}

/// Hands what one end says to the other, as long as the relay carries.
private final class Carrier: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let relay: FaultRelay
    /// A link that has lost bytes stays dead, as a lost entry of an address translation does.
    private var isDead = false

    init(to other: any Channel, relay: FaultRelay) {
        self.other = other
        self.relay = relay
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isDead || !relay.isCarrying {
            isDead = true
            return
        }
        other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !isDead { other.close(promise: nil) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
