import Foundation
import NIOSSL

/// The certificates of `certs.sh`, one set per run of the tests.
///
/// The script belongs to the tools that lie beside this package, at `../shared/tools`; `LIFELINE_TOOLS` names another folder.
struct CertificateMatrix: Sendable {
    struct Case: Sendable {
        var name: String
        var file: String
        var host: String
        /// What the matrix expects: `ok`, `fail`, `strict` (a client may accept; this one must not) or `crl`.
        var verdict: String
        var meaning: String
    }

    struct Missing: Error, CustomStringConvertible {
        var description: String
    }

    let folder: URL
    let cases: [Case]

    var authority: String { folder.appendingPathComponent("ca.pem").path }

    /// Made once; later calls wait for the first.
    static let shared = Result { try CertificateMatrix() }

    private init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let tools =
            ProcessInfo.processInfo.environment["LIFELINE_TOOLS"].map { URL(fileURLWithPath: $0) }
            ?? root.deletingLastPathComponent().appendingPathComponent("shared/tools")
        let script = tools.appendingPathComponent("certs.sh")
        guard FileManager.default.fileExists(atPath: script.path) else {
            throw Missing(
                description: """
                    The TLS tests need \(script.path), which makes their certificates. Put the tools beside the package, or name \
                    their folder in LIFELINE_TOOLS.
                    """)
        }
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-certs-\(UUID().uuidString)")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["bash", script.path, folder.path]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Missing(description: "certs.sh ended with \(process.terminationStatus); it needs bash and OpenSSL 3.")
        }
        let table = try String(contentsOf: folder.appendingPathComponent("MATRIX.tsv"), encoding: .utf8)
        cases = table.split(separator: "\n").map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return Case(name: columns[0], file: columns[1], host: columns[2], verdict: columns[3], meaning: columns[5])
        }
    }

    /// A server's context with the certificate of a case.
    func serverContext(_ file: String) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMFile(folder.appendingPathComponent(file).path)
        let key = folder.appendingPathComponent(file.replacingOccurrences(of: ".pem", with: ".key")).path
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(NIOSSLPrivateKey(file: key, format: .pem))))
    }
}
