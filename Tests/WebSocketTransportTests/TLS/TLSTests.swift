import ConnectionEngine
import NIOCore
import NIOPosix
import NIOSSL
import Testing
import TransportCommon

@testable import WebSocketTransport

@Suite struct TLSTests {
    /// A client that trusts only the matrix's authority and finds every name at the server.
    private func client(_ matrix: CertificateMatrix) -> TestClient {
        TestClient(WebSocketTransportConfiguration(trustRoots: .file(matrix.authority))) { _, port in
            [try SocketAddress(ipAddress: "127.0.0.1", port: port)]
        }
    }

    @Test func `Rule WT-7: every certificate of the matrix gets its verdict`() async throws {
        let matrix = try await CertificateMatrix.shared.value
        var judged = 0
        for example in matrix.cases where example.host != "-" {
            let isIPv6 = example.host.contains(":")
            let server = try await TestServer(host: isIPv6 ? "::1" : "127.0.0.1", tls: matrix.serverContext(example.file))
            let client = client(matrix)
            client.open(server.endpoint(host: example.host, tls: true))
            let peer = try await server.peers.next()
            judged += 1
            if example.verdict == "ok" || example.verdict == "crl" {
                try await peer.accept()
                try await client.opened()
                client.close(.abort)
                continue
            }
            let failure = try await client.closed()
            #expect(failure.category == .tlsUntrusted, "\(example.name), \(example.meaning): \(failure)")
            #expect(failure.tlsAlert != nil)
            #expect(try await peer.frames.next() == .end)
            #expect(peer.requests.waiting.isEmpty, "\(example.name): bytes of the application reached the server")
        }
        #expect(judged >= 27)
    }

    @Test func `Rule WT-7: a certificate for the peer's address does not stand for a name`() async throws {
        let matrix = try await CertificateMatrix.shared.value
        // It names 127.0.0.1, where this name is looked up to be: a forged lookup could say that of any name.
        let server = try await TestServer(tls: matrix.serverContext("good.pem"))
        let client = client(matrix)
        client.open(server.endpoint(host: "other.test", tls: true))
        let peer = try await server.peers.next()
        let failure = try await client.closed()
        #expect(failure.category == .tlsUntrusted && failure.tlsAlert == "HOSTNAME_MISMATCH")
        #expect(try await peer.frames.next() == .end)
        #expect(peer.requests.waiting.isEmpty)
    }

    @Test func `Messages travel both ways over TLS`() async throws {
        let matrix = try await CertificateMatrix.shared.value
        let server = try await TestServer(tls: matrix.serverContext("good.pem"))
        let client = client(matrix)
        client.open(server.endpoint(host: "localhost", tls: true))
        let peer = try await server.peers.next()
        try await peer.accept(behind: text("hello"))
        try await client.opened()
        #expect(try await client.received() == [.text("hello")])
        client.send(.text("hi"))
        #expect(try await peer.frames.next() == .text("hi"))
        client.close(.goodbye)
        #expect(try await peer.frames.next() == .close(1000))
        peer.write(closeFrame(1000))
        #expect(try await client.closed().category == .disconnected)
    }

    @Test func `With the system's roots a private authority is not trusted`() async throws {
        let matrix = try await CertificateMatrix.shared.value
        let server = try await TestServer(tls: matrix.serverContext("good.pem"))
        let client = TestClient()
        client.open(server.endpoint(host: "localhost", tls: true))
        let failure = try await client.closed()
        #expect(failure.category == .tlsUntrusted && failure.tlsAlert == "CERTIFICATE_VERIFY_FAILED")
    }

    @Test func `A server that speaks no TLS fails the handshake`() async throws {
        let server = try await TestServer()
        let client = TestClient()
        client.open(server.endpoint(host: "localhost", tls: true))
        let peer = try await server.peers.next()
        peer.write("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        let failure = try await client.closed()
        #expect(failure.category == .tlsFailed && failure.tlsAlert != nil)
    }

    @Test func `A server without a version or cipher in common fails the handshake`() async throws {
        let matrix = try await CertificateMatrix.shared.value
        let chain = try NIOSSLCertificate.fromPEMFile(matrix.folder.appendingPathComponent("good.pem").path)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(
                try NIOSSLPrivateKey(file: matrix.folder.appendingPathComponent("good.key").path, format: .pem)))
        configuration.minimumTLSVersion = .tlsv1
        configuration.maximumTLSVersion = .tlsv11
        let server = try await TestServer(tls: NIOSSLContext(configuration: configuration))
        let client = client(matrix)
        client.open(server.endpoint(host: "localhost", tls: true))
        let failure = try await client.closed()
        #expect(failure.category == .tlsFailed && failure.tlsAlert != nil)
    }

    @Test(arguments: [false, true])
    func `A handshake that is cut is a matter of the network`(reset: Bool) async throws {
        let server = try await TestServer()
        let client = TestClient()
        client.open(server.endpoint(host: "localhost", tls: true))
        let peer = try await server.peers.next()
        if reset { peer.reset() } else { peer.close() }
        #expect(try await client.closed().category == .networkUnavailable)
    }

    @Test func `A link over TLS that is cut without a word is reported once`() async throws {
        let matrix = try await CertificateMatrix.shared.value
        let server = try await TestServer(tls: matrix.serverContext("good.pem"))
        let client = client(matrix)
        client.open(server.endpoint(host: "localhost", tls: true))
        let peer = try await server.peers.next()
        try await peer.accept()
        try await client.opened()
        peer.reset()
        #expect(try await client.closed().category == .unexpectedDisconnect)
        #expect(client.events.waiting.isEmpty)
    }

    @Test func `Trusted certificates that cannot be read are said so`() async throws {
        let server = try await TestServer()
        let client = TestClient(WebSocketTransportConfiguration(trustRoots: .file("/nonexistent/ca.pem")))
        client.open(server.endpoint(tls: true))
        #expect(try await client.closed().category == .badRequest)
    }
}
