import AsyncHTTPClient
import Foundation
import LifelineServer
import NIOCore
import NIOSSL

/// A certificate for 127.0.0.1 that signs itself, made by OpenSSL in a folder of its own.
struct TestCertificate: Sendable {
    struct CannotMakeCertificate: Error {}

    let tls: ServerConfiguration.TLS

    private static func files(checkInterval: Duration?) throws -> ServerConfiguration.TLS {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return ServerConfiguration.TLS(
            certificateFile: folder.appendingPathComponent("cert.pem").path,
            privateKeyFile: folder.appendingPathComponent("key.pem").path, checkInterval: checkInterval)
    }

    /// The same certificate in other files.
    init(copyOf other: TestCertificate) throws {
        tls = try Self.files(checkInterval: nil)
        try other.certificate.write(toFile: tls.certificateFile, atomically: true, encoding: .utf8)
        try other.key.write(toFile: tls.privateKeyFile, atomically: true, encoding: .utf8)
    }

    init(checkInterval: Duration? = nil) throws {
        tls = try Self.files(checkInterval: checkInterval)
        try Self.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", tls.privateKeyFile, "-out",
            tls.certificateFile,
        ])
    }

    /// Foundation's `Process` watches children on a run loop and can miss the end of one; `waitpid` does not.
    private static func run(_ words: [String]) throws {
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        pointers.append(nil)
        var child = pid_t()
        guard posix_spawnp(&child, words[0], nil, nil, pointers, environ) == 0 else { throw CannotMakeCertificate() }
        var status: CInt = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw CannotMakeCertificate() }
    }

    var certificate: String { get throws { try String(contentsOfFile: tls.certificateFile, encoding: .utf8) } }
    var key: String { get throws { try String(contentsOfFile: tls.privateKeyFile, encoding: .utf8) } }

    /// A client's settings that trust this certificate and no other.
    func trust(maximum: TLSVersion? = nil) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(tls.certificateFile)
        configuration.maximumTLSVersion = maximum
        return configuration
    }

    /// What a path answers to a client that trusts this certificate.
    func body(_ path: String, of server: LifelineServer) async throws -> String {
        let client = HTTPClient(configuration: HTTPClient.Configuration(tlsConfiguration: trust()))
        let result: Result<String, any Error>
        do {
            let response = try await client.execute(HTTPClientRequest(url: server.url + path), timeout: .seconds(30))
            result = .success(String(buffer: try await response.body.collect(upTo: 1 << 20)))
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        return try result.get()
    }

    /// The status of `/health` for a new client that trusts this certificate only; 0 when TLS fails.
    func health(of server: LifelineServer, maximum: TLSVersion? = nil) async throws -> Int {
        var configuration = HTTPClient.Configuration()
        configuration.tlsConfiguration = trust(maximum: maximum)
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(configuration: configuration)
        let result: Result<Int, any Error>
        do {
            let response = try await client.execute(HTTPClientRequest(url: server.url + "/health"), timeout: .seconds(10))
            result = .success(Int(response.status.code))
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        switch result {
        case .success(let status): return status
        case .failure(let error) where error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError: return 0
        case .failure(let error): throw error
        }
    }
}
