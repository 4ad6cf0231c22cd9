import NIOCore
import NIOPosix
import NIOSSL
import TransportCommon

/// Listens, and sets up every connection that comes in.
struct Listener {
    let core: ServerCore
    let group: MultiThreadedEventLoopGroup
    /// Nil for no TLS.
    let certificate: ServerCertificate?

    func bind() async throws -> any Channel {
        let (core, certificate) = (core, certificate)
        return try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    channel.pipeline.syncOperations.closeOnExec()
                    try channel.pipeline.syncOperations.addHandler(AcceptPause(core.shortage))
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Beyond the high mark a subscriber counts as too slow, so NIO's own count of waiting bytes is the only one.
            .childChannelOption(
                .writeBufferWaterMark,
                value: .init(
                    low: max(core.configuration.maximumPendingBytes / 2, 1), high: max(core.configuration.maximumPendingBytes, 2))
            )
            // Each connection keeps its receive buffer: small, since most are idle.
            .childChannelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 256, initial: 512, maximum: 16_384)
            )
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in Self.initialize(channel, core, certificate) }
            .bind(host: core.configuration.host, port: core.configuration.port)
            .get()
    }

    private static func initialize(
        _ channel: any Channel, _ core: ServerCore, _ certificate: ServerCertificate?
    ) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            guard let outlet = core.outlet(of: channel.eventLoop), core.admission.withLockedValue({ $0.openSocket() }) else {
                // Throwing closes the socket.
                throw ChannelError.ioOnClosedChannel
            }
            let pipeline = channel.pipeline.syncOperations
            pipeline.closeOnExec()
            if let certificate { try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context)) }
            try pipeline.addHandler(HTTPConnection(core: core, outlet: outlet))
        }
    }
}

extension TimeAmount {
    /// Whole nanoseconds of a duration.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .seconds(seconds) + .nanoseconds(attoseconds / 1_000_000_000)
    }
}
