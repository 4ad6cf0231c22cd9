import ConnectionEngine
import Foundation
import HTTPTransport
import NIOCore
import NIOSSL
import SocketTestSupport
import Testing
import TransportCommon

@testable import WebSocketTransport

/// Rule WT-50: a server that wants a certificate gets it, over WebSockets and for HTTP calls.
@Suite struct ClientCertificateTests {
    /// Trusts the server of the tests.
    private let authority: String

    init() throws {
        authority = FileManager.default.temporaryDirectory.appendingPathComponent("authority-\(UUID().uuidString).pem").path
        try TestCertificates.server.write(toFile: authority, atomically: true, encoding: .utf8)
    }

    private static func certificate() throws -> ClientCertificate {
        try ClientCertificate(pem: TestCertificates.client, key: TestCertificates.clientKey)
    }

    /// A server that insists on the client's certificate.
    private func server() async throws -> TestServer {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [
                .certificate(try NIOSSLCertificate(bytes: Array(TestCertificates.server.utf8), format: .pem))
            ],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(TestCertificates.serverKey.utf8), format: .pem)))
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([
            try NIOSSLCertificate(bytes: Array(TestCertificates.client.utf8), format: .pem)
        ])
        return try await TestServer(tls: NIOSSLContext(configuration: configuration))
    }

    private func client(_ certificate: ClientCertificate?, pins: CertificatePins? = nil) -> TestClient {
        TestClient(
            WebSocketTransportConfiguration(trustRoots: .file(authority), pins: pins, certificate: certificate)
        ) { _, port in [try SocketAddress(ipAddress: "127.0.0.1", port: port)] }
    }

    @Test func `a WebSocket opens with the certificate, and with pins too`() async throws {
        for pins in [nil, try CertificatePins([TestCertificates.serverPin])] {
            let server = try await server()
            let client = client(try Self.certificate(), pins: pins)
            client.open(server.endpoint(host: "localhost", tls: true))
            let peer = try await server.peers.next()
            try await peer.accept()
            try await client.opened()
            client.close(.abort)
        }
        try? FileManager.default.removeItem(atPath: authority)
    }

    @Test func `a WebSocket without it is refused, and says so`() async throws {
        let server = try await server()
        let client = client(nil)
        client.open(server.endpoint(host: "localhost", tls: true))
        let failure = try await client.closed()
        #expect([.tlsFailed, .networkUnavailable].contains(failure.category), "\(failure)")
        try? FileManager.default.removeItem(atPath: authority)
    }

    @Test func `an HTTP call is answered with the certificate, and fails without it`() async throws {
        let server = try await server()
        let call = HTTPCall(url: "https://localhost:\(server.port)/")
        let certified = HTTPCaller(trustRoots: .file(authority), certificate: try Self.certificate())
        async let answer = certified.send(call, timeout: .seconds(20))
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        #expect(try await answer.status == 200)
        let stranger = HTTPCaller(trustRoots: .file(authority))
        let failure = await #expect(throws: ConnectionFailure.self) {
            _ = try await stranger.send(call, timeout: .seconds(20))
        }
        #expect([.tlsFailed, .networkUnavailable].contains(failure?.category), "\(String(describing: failure))")
        try? FileManager.default.removeItem(atPath: authority)
    }
}
