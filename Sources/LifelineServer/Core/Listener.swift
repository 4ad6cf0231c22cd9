import NIOCore
import NIOPosix
import NIOSSL

/// Listens, and sets up every connection that comes in.
struct Listener {
    let core: ServerCore
    let group: MultiThreadedEventLoopGroup

    func bind() async throws -> any Channel {
        let tls = try core.configuration.tls.map { try Self.context($0) }
        let core = core
        return try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
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
            .childChannelInitializer { channel in Self.initialize(channel, core, tls) }
            .bind(host: core.configuration.host, port: core.configuration.port)
            .get()
    }

    private static func initialize(_ channel: any Channel, _ core: ServerCore, _ tls: NIOSSLContext?) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            guard let outlet = core.outlet(of: channel.eventLoop), core.admission.withLockedValue({ $0.openSocket() }) else {
                // Throwing closes the socket.
                throw ChannelError.ioOnClosedChannel
            }
            let pipeline = channel.pipeline.syncOperations
            if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
            try pipeline.addHandler(HTTPConnection(core: core, outlet: outlet))
        }
    }

    private static func context(_ tls: ServerConfiguration.TLS) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMFile(tls.certificateFile).map { NIOSSLCertificateSource.certificate($0) }
        let key = try NIOSSLPrivateKey(file: tls.privateKeyFile, format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
        configuration.applicationProtocols = ["http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }
}

extension TimeAmount {
    /// Whole nanoseconds of a duration.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .seconds(seconds) + .nanoseconds(attoseconds / 1_000_000_000)
    }
}
