import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A TCP relay in this process, through which a client reaches a server of this process. The relay can interrupt the client's connections
/// in typical ways.
final class FaultRelay: Sendable {
    private struct State {
        var listener: (any Channel)?
        var lines: [ObjectIdentifier: RelayLine] = [:]
        var isMute = false
        /// The port for clients; 0 until the first listener is bound to a free port.
        var port = 0
    }

    private let upstream: SocketAddress
    private let eventLoop: any EventLoop
    private let state = NIOLockedValueBox(State())

    /// Starts to listen on a free port of this machine.
    static func start(to port: Int) async throws -> FaultRelay {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let relay = FaultRelay(upstream: try SocketAddress(ipAddress: "127.0.0.1", port: port), eventLoop: eventLoop)
        try await relay.listen()
        return relay
    }

    private init(upstream: SocketAddress, eventLoop: any EventLoop) {
        self.upstream = upstream
        self.eventLoop = eventLoop
    }

    /// The port for clients. It does not change when the relay stops and starts listening.
    var port: Int { state.withLockedValue { $0.port } }

    /// Resets every open connection. New connections are accepted.
    func cut() {
        for line in openLines { line.reset() }
    }

    /// Makes all connections half-open: received bytes are discarded in both directions, no connection is closed, and new connections are
    /// accepted without any reply.
    func mute() {
        let lines = state.withLockedValue { state in
            state.isMute = true
            return Array(state.lines.values)
        }
        for line in lines { line.mute() }
    }

    /// Forwards new connections again. Connections that were muted stay silent, as after the loss of a NAT mapping.
    func unmute() {
        state.withLockedValue { $0.isMute = false }
    }

    /// Resets every open connection and refuses new connections.
    func refuse() async throws {
        let listener = state.withLockedValue { state in
            defer { state.listener = nil }
            return state.listener
        }
        try await listener?.close()
        cut()
    }

    /// Starts to listen, for the first time or after `refuse()`.
    func listen() async throws {
        let listener = try await Self.listener(on: port, eventLoop: eventLoop) { [weak self] in
            self?.accept($0) ?? $0.close()
        }
        state.withLockedValue { state in
            state.listener = listener
            state.port = listener.localAddress?.port ?? state.port
        }
    }

    /// Closes all connections and stops listening.
    func stop() async {
        // An error is ignored, because the demonstration is over and no client connects to the relay any more.
        try? await refuse()
    }

    private var openLines: [RelayLine] { state.withLockedValue { Array($0.lines.values) } }

    private static func listener(
        on port: Int, eventLoop: any EventLoop, accept: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws -> any Channel {
        try await ServerBootstrap(group: eventLoop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer(accept)
            .bind(host: "127.0.0.1", port: port).get()
    }

    private func accept(_ client: any Channel) -> EventLoopFuture<Void> {
        let line = RelayLine(client: client)
        let id = ObjectIdentifier(line)
        let isMute = state.withLockedValue { state in
            state.lines[id] = line
            return state.isMute
        }
        client.closeFuture.whenComplete { [weak self] _ in
            _ = self?.state.withLockedValue { $0.lines.removeValue(forKey: id) }
        }
        if isMute { line.mute() }
        let handled = client.pipeline.addHandler(RelayHandler(line: line, isClient: true))
        return isMute ? handled : handled.flatMap { [upstream, eventLoop] in line.dial(upstream, eventLoop) }
    }
}

/// One connection through the relay: the sockets to the client and to the server.
final class RelayLine: Sendable {
    private struct State {
        var server: (any Channel)?
        var isMute = false
    }

    private let client: any Channel
    private let state = NIOLockedValueBox(State())

    init(client: any Channel) {
        self.client = client
    }

    func dial(_ address: SocketAddress, _ eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        ClientBootstrap(group: eventLoop)
            .channelInitializer { $0.pipeline.addHandler(RelayHandler(line: self, isClient: false)) }
            .connect(to: address)
            .map { server in self.state.withLockedValue { $0.server = server } }
    }

    func mute() {
        state.withLockedValue { $0.isMute = true }
    }

    /// Closes both sockets with a reset instead of a FIN.
    func reset() {
        for side in [client, state.withLockedValue { $0.server }] {
            guard let side = side as? any Channel & SocketOptionProvider else { continue }
            side.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in side.close(promise: nil) }
        }
    }

    func forward(fromClient: Bool, _ bytes: ByteBuffer) {
        let other = state.withLockedValue { state -> (any Channel)? in
            if state.isMute { return nil }
            return fromClient ? state.server : client
        }
        other?.writeAndFlush(bytes, promise: nil)
    }

    /// Closes the other socket after one side has closed the connection. While the relay discards the data of this connection, the client's
    /// socket stays open, as it does when a network fails silently.
    func ended(fromClient: Bool) {
        let other = state.withLockedValue { state -> (any Channel)? in
            fromClient ? state.server : state.isMute ? nil : client
        }
        other?.close(promise: nil)
    }
}

/// Forwards the bytes of one side of a relayed connection to the other side.
private final class RelayHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let line: RelayLine
    private let isClient: Bool

    init(line: RelayLine, isClient: Bool) {
        self.line = line
        self.isClient = isClient
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        line.forward(fromClient: isClient, unwrapInboundIn(data))
    }

    func channelInactive(context: ChannelHandlerContext) {
        line.ended(fromClient: isClient)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
