import AsyncHTTPClient
import Foundation
import LifelineServer
import NIOCore
import NIOSSL
import Testing

@Suite("TLS (SV-1)", .timeLimit(.minutes(1)))
struct TLSTests {
    struct CannotMakeCertificate: Error {}

    /// A certificate that signs itself, made by OpenSSL in a new folder.
    private func certificate() throws -> ServerConfiguration.TLS {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let tls = ServerConfiguration.TLS(
            certificateFile: folder.appendingPathComponent("cert.pem").path,
            privateKeyFile: folder.appendingPathComponent("key.pem").path)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", tls.privateKeyFile, "-out",
            tls.certificateFile,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CannotMakeCertificate() }
        return tls
    }

    @Test("With a certificate the same port speaks HTTPS to clients that trust it")
    func https() async throws {
        let tls = try certificate()
        try await withServer(quietApplication, { $0.tls = tls }) { server in
            #expect(server.url == "https://127.0.0.1:\(server.port)")
            var configuration = HTTPClient.Configuration()
            configuration.tlsConfiguration = .makeClientConfiguration()
            configuration.tlsConfiguration?.trustRoots = .file(tls.certificateFile)
            let client = HTTPClient(configuration: configuration)
            let response = try await client.execute(HTTPClientRequest(url: server.url + "/health"), timeout: .seconds(10))
            #expect(response.status.code == 200)
            try await client.shutdown()
        }
    }

    @Test("Plain text on a TLS port is no answer and does no harm")
    func plainText() async throws {
        let tls = try certificate()
        try await withServer(quietApplication, { $0.tls = tls }) { server in
            let socket = try await RawSocket.connect(port: server.port)
            try await socket.send("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await !socket.textToEnd().contains("200 OK"))
        }
    }

    @Test("A certificate that cannot be read is an error of the start")
    func missing() async throws {
        let tls = ServerConfiguration.TLS(certificateFile: "/nowhere/cert.pem", privateKeyFile: "/nowhere/key.pem")
        await #expect(throws: (any Error).self) { _ = try await LifelineServer.start(.init(port: 0, tls: tls)) }
    }
}
