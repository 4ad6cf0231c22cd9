import ConnectionEngine
import NIOCore
import NIOPosix
import NIOSSL
import SocketTestSupport
import Testing
import TransportCommon

@testable import WebSocketTransport

/// Connections as their owners get them, with TLS below the pipeline and with TLS added once TCP is connected (rules SO-101 and SO-102).
@Suite(.timeLimit(.minutes(2))) struct TLSPlacementTests {
    private let loop = MultiThreadedEventLoopGroup.singleton.next()

    private func open(
        _ server: TestServer, _ placement: ServerDialer.TLSPlacement, roots: TrustRoots, within limit: TimeAmount = .seconds(30),
        received: Inbox<String> = Inbox()
    ) async throws -> ServerDialer.Connection {
        let dialer = ServerDialer(
            trustRoots: roots, pins: nil, proxy: nil, connectTimeout: .seconds(30), liveness: .standard, placement: placement)
        let port = server.port
        return try await loop.flatSubmit { [loop] in
            dialer.open(
                host: "localhost", port: port, usesTLS: true, on: loop, deadline: .now() + limit
            ) { _ in true }.flatMapThrowing { connection in
                try connection.channel.pipeline.syncOperations.addHandler(TextInbox(received))
                try connection.channel.syncOptions?.setOption(.autoRead, value: true)
                return connection
            }
        }.get()
    }

    private func context(_ matrix: CertificateMatrix, _ version: TLSVersion, protocols: [String]) throws -> NIOSSLContext {
        let key = matrix.folder.appendingPathComponent("good.key").path
        var configuration = try TLSConfiguration.makeServerConfiguration(
            certificateChain: NIOSSLCertificate.fromPEMFile(matrix.folder.appendingPathComponent("good.pem").path).map {
                .certificate($0)
            }, privateKey: .privateKey(NIOSSLPrivateKey(file: key, format: .pem)))
        configuration.maximumTLSVersion = version
        configuration.applicationProtocols = protocols
        return try NIOSSLContext(configuration: configuration)
    }

    /// With TLS 1.2 the server's first bytes come with the end of its handshake.
    @Test(arguments: ServerDialer.TLSPlacement.allCases, [TLSVersion.tlsv12, .tlsv13])
    func `SO-101: a connection is handed out when TLS is done, and what the server sends at once is not lost`(
        placement: ServerDialer.TLSPlacement, version: TLSVersion
    ) async throws {
        let matrix = try await CertificateMatrix.shared.value
        for _ in 0..<20 {
            let server = try await TestServer(tls: context(matrix, version, protocols: ["http/1.1"]), greeting: "early")
            let received = Inbox<String>()
            let connection = try await open(server, placement, roots: .file(matrix.authority), received: received)
            #expect(connection.tls?.negotiatedProtocol == "http/1.1")
            #expect(try await received.next() == "early")
            try? await connection.channel.close()
        }
    }

    @Test(arguments: ServerDialer.TLSPlacement.allCases)
    func `A server without ALPN chooses no protocol`(placement: ServerDialer.TLSPlacement) async throws {
        let matrix = try await CertificateMatrix.shared.value
        let server = try await TestServer(tls: context(matrix, .tlsv13, protocols: []))
        let connection = try await open(server, placement, roots: .file(matrix.authority))
        #expect(connection.tls != nil && connection.tls?.negotiatedProtocol == nil)
        try? await connection.channel.close()
    }

    @Test(arguments: ServerDialer.TLSPlacement.allCases)
    func `SO-101: a handshake ends in time, with its verdict or with the connection`(
        placement: ServerDialer.TLSPlacement
    ) async throws {
        let matrix = try await CertificateMatrix.shared.value
        let silent = try await TestServer()
        // Long enough for the connection to be made, which the server has to see.
        let late = await failure { try await open(silent, placement, roots: .system, within: .seconds(5)) }
        #expect(late?.category == .timeout && late?.reason == "The connection to the server could not be established in time.")
        #expect(try await silent.peers.next().frames.next() == .end)

        let stranger = try await TestServer(tls: matrix.serverContext("good.pem"))
        let refused = await failure { try await open(stranger, placement, roots: .system) }
        #expect(refused?.category == .tlsUntrusted && refused?.tlsAlert == "CERTIFICATE_VERIFY_FAILED")
        #expect(try await stranger.peers.next().frames.next() == .end)

        let rude = try await TestServer()
        async let cut = failure { try await open(rude, placement, roots: .system) }
        try await rude.peers.next().close()
        #expect(await cut?.category == .networkUnavailable)
    }

    private func failure(_ body: () async throws -> ServerDialer.Connection) async -> ConnectionFailure? {
        do {
            let connection = try await body()
            try? await connection.channel.close()
            return nil
        } catch {
            return error as? ConnectionFailure
        }
    }
}

/// Keeps what arrives as text.
private final class TextInbox: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let inbox: Inbox<String>

    init(_ inbox: Inbox<String>) {
        self.inbox = inbox
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        inbox.put(String(buffer: unwrapInboundIn(data)))
    }
}
