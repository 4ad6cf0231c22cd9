import Foundation
import NIOSSL
import SocketTestSupport
import Testing

@testable import TransportCommon

/// How client certificates are read, and what is said when they cannot be (rule WT-50).
@Suite struct ClientCertificateTests {
    private func certificate(
        _ pem: String = TestCertificates.client, _ key: String = TestCertificates.clientKey, _ passphrase: String? = nil
    ) throws(ClientCertificateError) -> ClientCertificate {
        try ClientCertificate(pem: pem, key: key, passphrase: passphrase)
    }

    private func problem(_ body: () throws -> ClientCertificate) -> ClientCertificateError? {
        #expect(throws: ClientCertificateError.self) { _ = try body() }
    }

    @Test func `PEM, DER and files give the same certificate`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("certificate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("both.pem").path
        try "\(TestCertificates.client)\n\(TestCertificates.clientKey)\n".write(toFile: file, atomically: true, encoding: .utf8)
        let fromText = try certificate()
        #expect(try ClientCertificate(certificateFile: file, keyFile: file) == fromText)
        let der = try NIOSSLCertificate(bytes: Array(TestCertificates.client.utf8), format: .pem).toDERBytes()
        let lines = TestCertificates.clientKey.split(separator: "\n").filter { !$0.hasPrefix("-") }
        let key = try #require(Data(base64Encoded: lines.joined()))
        #expect(try ClientCertificate(der: [der], key: Array(key)) == fromText)
    }

    @Test(arguments: [TestCertificates.encryptedKey, TestCertificates.olderEncryptedKey])
    func `an encrypted key wants its passphrase`(key: String) throws {
        #expect(try certificate(TestCertificates.client, key, TestCertificates.passphrase) == certificate())
        #expect(problem { try certificate(TestCertificates.client, key) } == .encryptedKey("the text"))
        #expect(problem { try certificate(TestCertificates.client, key, "wrong") } == .wrongPassphrase("the text"))
    }

    @Test func `what cannot be used is refused with a sentence that says what to do`() throws {
        let missing = problem { try ClientCertificate(certificateFile: "/nowhere/c.pem", keyFile: "/nowhere/k.pem") }
        #expect(missing == .unreadableFile("/nowhere/c.pem") && missing?.description.contains("Check the path") == true)
        #expect(problem { try certificate("nothing") } == .noCertificate("the text"))
        #expect(problem { try certificate(TestCertificates.client, "nothing") } == .noKey("the text"))
        #expect(problem { try certificate(TestCertificates.client, TestCertificates.otherKey) } == .keyDoesNotMatch("the text"))
        #expect(problem { try ClientCertificate(der: [], key: []) } == .noKey("the DER bytes"))
        #expect(problem { try ClientCertificate(der: [[1, 2]], key: []) } == .noCertificate("the DER bytes"))
    }

    @Test func `SO-106: PKCS #12 has certificate and key, and keeps its passphrase to itself`() throws {
        let plain = try certificate()
        let bytes = try NIOSSLPKCS12Bundle(certificateChain: plain.chain, privateKey: plain.key).serialize(
            passphrase: Array(TestCertificates.passphrase.utf8))
        let read = try ClientCertificate(pkcs12: bytes, passphrase: TestCertificates.passphrase)
        #expect(read.chain == plain.chain && read.archive?.bytes == bytes && plain.archive == nil)
        #expect(problem { try ClientCertificate(pkcs12: bytes, passphrase: "wrong") } == .unreadableArchive)
        #expect(problem { try ClientCertificate(pkcs12: [1, 2, 3], passphrase: "") } == .unreadableArchive)
        #expect(ClientCertificateError.unreadableArchive.description.contains("Check the passphrase"))
        var text = ""
        dump(read, to: &text)
        #expect(!"\(read) \(String(reflecting: read)) \(text)".contains(TestCertificates.passphrase))
        // The TLS library ends the process over a file without a key or without a certificate.
        let identifiers = [ClientCertificate.encryptedKeyBag, ClientCertificate.encryptedData]
        for identifier in identifiers {
            var other = bytes
            while let found = other.firstRange(of: identifier) { other[found.upperBound - 1] = 0x7F }
            #expect(ClientCertificate.mayHoldIdentity(bytes) && !ClientCertificate.mayHoldIdentity(other))
        }
    }

    @Test func `descriptions show neither certificate nor key`() throws {
        let certificate = try certificate()
        let text = "\(certificate) \(String(reflecting: certificate)) \(Mirror(reflecting: certificate).children.map { "\($0)" })"
        #expect(!text.contains("KEY") && !text.contains("NIOSSL"))
    }

    @Test func `contexts with certificates are shared, and few are kept`() throws {
        let certificate = try certificate()
        let roots = TrustRoots.system
        #expect(try roots.context(certificate: certificate) === roots.context(certificate: certificate))
        #expect(try roots.context(certificate: certificate) !== roots.context())
    }
}
