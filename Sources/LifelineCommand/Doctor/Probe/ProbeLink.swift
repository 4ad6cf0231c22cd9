import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import TransportCommon

/// One connection, opened step by step: TCP, tunnel, TLS, a request.
final class ProbeLink: Sendable {
    let channel: any Channel
    private let mailbox: NIOLoopBound<ProbeMailbox>
    /// Received bytes after the head of an HTTP answer. The next call of ``read(within:)`` returns them.
    private let rest = NIOLockedValueBox<[UInt8]>([])

    private init(_ channel: any Channel, _ mailbox: NIOLoopBound<ProbeMailbox>) {
        self.channel = channel
        self.mailbox = mailbox
    }

    deinit { channel.close(promise: nil) }

    /// Opens a TCP connection to one address.
    static func connect(to address: SocketAddress, limit: TimeAmount) async throws -> ProbeLink {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(limit)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(ProbeMailbox()) }
            }
            .connect(to: address)
            .flatMapThrowing { channel in
                let mailbox = try channel.pipeline.syncOperations.handler(type: ProbeMailbox.self)
                return ProbeLink(channel, NIOLoopBound(mailbox, eventLoop: channel.eventLoop))
            }.get()
    }

    /// Waits until bytes arrive, TLS is established, or the connection fails or ends. Throws ``ProbeTimeout`` at `deadline`.
    private func next(until deadline: NIODeadline) async throws -> ProbeMailbox.Arrival {
        let limit = max(deadline - .now(), .nanoseconds(0))
        return try await channel.eventLoop.flatSubmit { [mailbox, channel] in
            mailbox.value.next(within: limit, on: channel.eventLoop)
        }.get()
    }

    /// The next bytes; throws when the peer closes the connection or no byte arrives in time.
    func read(within limit: TimeAmount) async throws -> [UInt8] {
        let kept = rest.withLockedValue { rest in
            defer { rest = [] }
            return rest
        }
        if !kept.isEmpty { return kept }
        let deadline = NIODeadline.now() + limit
        while true {
            switch try await next(until: deadline) {
            case .bytes(let bytes): return bytes
            case .secured: continue
            case .failed(let error): throw error
            case .end: throw ProbeEnd()
            }
        }
    }

    func write(_ bytes: [UInt8]) {
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    /// Sends a request and reads the head of its answer. The bytes after the head are returned by the next read.
    func ask(_ request: String, within limit: TimeAmount) async throws -> ProbeAnswer {
        write(Array(request.utf8))
        let deadline = NIODeadline.now() + limit
        var bytes: [UInt8] = []
        while true {
            if let (answer, end) = try ProbeAnswer.parse(bytes) {
                rest.withLockedValue { $0 = Array(bytes[end...]) }
                return answer
            }
            bytes += try await read(within: deadline - .now())
        }
    }

    /// The result of a TLS handshake.
    struct Security: Sendable {
        var certificate: NIOSSLCertificate
        var version: String
    }

    /// Starts TLS and verifies the server's certificate as the clients of this package do.
    func secure(_ tls: ClientTLS, within limit: TimeAmount) async throws -> Security {
        try await channel.eventLoop.submit { [mailbox, channel] in
            let handler = try tls.handler()
            try channel.pipeline.syncOperations.addHandler(handler, position: .before(mailbox.value))
        }.get()
        try await secured(within: limit)
        return try await channel.eventLoop.submit { [channel] in
            let pipeline = channel.pipeline.syncOperations
            try tls.check(pipeline)
            let handler = try pipeline.handler(type: NIOSSLClientHandler.self)
            guard let certificate = handler.peerCertificate else { throw CertificateFault.unacceptable }
            return Security(certificate: certificate, version: Self.name(handler.tlsVersion))
        }.get()
    }

    /// Reads the certificates that a server presents, without completing the handshake. Empty when there is no TLS.
    func look(serverName: String?, within limit: TimeAmount) async throws -> [NIOSSLCertificate] {
        let context = try NIOSSLContext(configuration: .makeClientConfiguration())
        let seen = NIOLockedValueBox<[NIOSSLCertificate]>([])
        try await channel.eventLoop.submit { [mailbox, channel] in
            let handler = try NIOSSLClientHandler(context: context, serverHostname: serverName) { chain, verdict in
                seen.withLockedValue { $0 = chain }
                verdict.succeed(NIOSSLVerificationResult.failed)
            }
            try channel.pipeline.syncOperations.addHandler(handler, position: .before(mailbox.value))
        }.get()
        do { try await secured(within: limit) } catch {}
        return seen.withLockedValue { $0 }
    }

    private func secured(within limit: TimeAmount) async throws {
        let deadline = NIODeadline.now() + limit
        while true {
            switch try await next(until: deadline) {
            case .secured: return
            case .bytes: continue
            case .failed(let error): throw error
            case .end: throw ProbeEnd()
            }
        }
    }

    private static func name(_ version: TLSVersion?) -> String {
        switch version {
        case .tlsv13: "TLS 1.3"
        case .tlsv12: "TLS 1.2"
        default: "TLS"
        }
    }
}
