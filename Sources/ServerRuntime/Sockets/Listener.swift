import NIOCore
import NIOPosix
import NIOSSL
import TransportCommon

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Listens, and sets up every connection that comes in.
package struct Listener {
    private let host: ServerHost
    private let group: MultiThreadedEventLoopGroup

    package init(_ host: ServerHost, on group: MultiThreadedEventLoopGroup) {
        self.host = host
        self.group = group
    }

    package func bind() async throws -> any Channel {
        let host = host
        let core = host.context
        return try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.socketOption(.reusePort), value: core.settings.reusesPort ? 1 : 0)
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
                    low: max(core.settings.maximumPendingBytes / 2, 1), high: max(core.settings.maximumPendingBytes, 2))
            )
            // Each connection keeps its receive buffer: small, since most are idle.
            .childChannelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 256, initial: 512, maximum: 16_384)
            )
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in Self.initialize(channel, host) }
            .bind(host: core.settings.host, port: core.settings.port)
            .get()
    }

    private static func initialize(_ channel: any Channel, _ host: ServerHost) -> EventLoopFuture<Void> {
        let core = host.context
        return channel.eventLoop.makeCompletedFuture {
            guard core.addresses.admit(channel) else {
                // A reset leaves nothing behind; whoever floods the server must not fill the system with closed connections.
                (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in }
                throw ChannelError.ioOnClosedChannel
            }
            guard let loop = core.loops.first(where: { $0.eventLoop === channel.eventLoop }),
                core.admission.withLockedValue({ $0.openSocket() })
            else {
                // Throwing closes the socket.
                throw ChannelError.ioOnClosedChannel
            }
            let pipeline = channel.pipeline.syncOperations
            pipeline.closeOnExec()
            if let certificate = core.certificate { try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context)) }
            try pipeline.addHandler(HTTPConnection(host: host, loop: loop))
        }
    }
}

extension NIOBSDSocket.Option {
    /// `SO_REUSEPORT`, which NIO has no name for.
    fileprivate static let reusePort = NIOBSDSocket.Option(rawValue: SO_REUSEPORT)
}
