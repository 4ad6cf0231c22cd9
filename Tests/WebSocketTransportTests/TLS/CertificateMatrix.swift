import Foundation
import NIOPosix
import NIOSSL
import TransportCommon

/// The certificates that the tool `certs.sh` makes with OpenSSL 3, one set per run of the tests.
struct CertificateMatrix: Sendable {
    struct Case: Sendable {
        var name: String
        var file: String
        var host: String
        /// What the matrix expects: `ok`, `fail`, `strict` (a client may accept; this one must not) or `crl`.
        var verdict: String
        var meaning: String
    }

    let folder: URL
    let cases: [Case]

    var authority: String { folder.appendingPathComponent("ca.pem").path }

    /// Made once, on a thread that may block; all tests wait for it.
    static let shared = Task.detached {
        try await NIOThreadPool.singleton.runIfActive { try CertificateMatrix() }
    }

    private init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-certs-\(UUID().uuidString)")
        try ChildProcess.run(["bash", ChildProcess.tool("certs.sh"), folder.path])
        let table = try String(contentsOf: folder.appendingPathComponent("MATRIX.tsv"), encoding: .utf8)
        cases = table.split(separator: "\n").map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return Case(name: columns[0], file: columns[1], host: columns[2], verdict: columns[3], meaning: columns[5])
        }
    }

    /// The certificates in a file.
    func certificates(_ file: String) throws -> [NIOSSLCertificate] {
        try NIOSSLCertificate.fromPEMFile(folder.appendingPathComponent(file).path)
    }

    /// The pin of the first certificate in a file.
    func pin(_ file: String) throws -> String {
        try certificates(file).first.flatMap { CertificatePins.pin(of: $0) } ?? ""
    }

    /// A server's context with the certificate of a case, and with others that it sends along.
    func serverContext(_ file: String, with others: [String] = []) throws -> NIOSSLContext {
        let chain = try certificates(file) + others.flatMap { try certificates($0) }
        let key = folder.appendingPathComponent(file.replacingOccurrences(of: ".pem", with: ".key")).path
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(NIOSSLPrivateKey(file: key, format: .pem))))
    }
}
