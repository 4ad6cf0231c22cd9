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

/// Listens for connections, and adds the handlers and socket options of every accepted connection.
package struct Listener {
    private let host: ServerHost
    private let group: MultiThreadedEventLoopGroup

    package init(_ host: ServerHost, on group: MultiThreadedEventLoopGroup) {
        self.host = host
        self.group = group
    }

    package func bind() async throws -> any Channel {
        try await bind(port: nil).get()
    }

    /// Listens at the port; nil takes the port of the settings.
    func bind(port: Int?) -> EventLoopFuture<any Channel> {
        let host = host
        let core = host.context
        return ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.socketOption(.reusePort), value: core.settings.reusesPort ? 1 : 0)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    channel.pipeline.syncOperations.closeOnExec()
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptPause(core.shortage) { core.reserve.release() || core.closeIdleConnection(on: channel.eventLoop) })
                }
            }
            .childChannelInitializer { channel in Self.initialize(channel, host) }
            .bind(host: core.settings.host, port: port ?? core.settings.port)
    }

    private static func initialize(_ channel: any Channel, _ host: ServerHost) -> EventLoopFuture<Void> {
        let core = host.context
        return channel.eventLoop.makeCompletedFuture {
            if let reserve = core.reserveToFill {
                channel.closeFuture.whenComplete { _ in reserve.fill() }
                throw ChannelError.ioOnClosedChannel
            }
            guard core.addresses.admit(channel) else {
                // The refused connection is reset, because a reset leaves no state in the system: a flood of connections cannot fill it
                // with closed sockets.
                (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in }
                throw ChannelError.ioOnClosedChannel
            }
            guard let loop = core.loops.first(where: { $0.eventLoop === channel.eventLoop }),
                core.admission.withLockedValue({ $0.openSocket() })
                    || (core.closeIdleConnection(on: channel.eventLoop)
                        && core.admission.withLockedValue { $0.openSocket(replacing: true) })
            else {
                // The thrown error makes NIO close the accepted socket.
                throw ChannelError.ioOnClosedChannel
            }
            if core.settings.reservedDescriptors > 0 { channel.closeFuture.whenComplete { _ in core.reserve.fill() } }
            let pipeline = channel.pipeline.syncOperations
            pipeline.prepareAccepted()
            try setOptions(of: channel, core.settings)
            if let certificate = core.certificate { try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context)) }
            try pipeline.addHandler(HTTPConnection(host: host, loop: loop))
        }
    }
}

extension Listener {
    /// Sets the options of an accepted connection. They are not options of the bootstrap, because those would cost each connection a chain
    /// of futures.
    fileprivate static func setOptions(of channel: any Channel, _ settings: RuntimeSettings) throws {
        guard let options = channel.syncOptions else { return }
        // A subscriber with more unsent bytes than the high watermark counts as too slow, so no count besides NIO's is needed.
        try options.setOption(
            .writeBufferWaterMark,
            value: .init(low: max(settings.maximumPendingBytes / 2, 1), high: max(settings.maximumPendingBytes, 2)))
        try options.setOption(.recvAllocator, value: TransientReceiveBuffers())
        try options.setOption(.maxMessagesPerRead, value: 1)
    }
}

extension ChannelPipeline.SynchronousOperations {
    /// Sets close-on-exec, so that child processes do not inherit an accepted socket (rule SO-40), and disables the delay of small packets.
    /// NIO's channel options are not used for this, because NIO would first query the socket's address.
    fileprivate func prepareAccepted() {
        do {
            try withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                var isOn: CInt = 1
                _ = setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<CInt>.size))
            }
        } catch {
            // These calls fail only when the socket is closed already.
        }
    }
}

extension NIOBSDSocket.Option {
    /// The option `SO_REUSEPORT`, for which NIO has no constant.
    fileprivate static let reusePort = NIOBSDSocket.Option(rawValue: SO_REUSEPORT)
}
