import Crypto
import Foundation
import NIOSSL
import X509

/// An authority of a test's own, and the certificates that it signs.
struct TestAuthority {
    private let name: DistinguishedName
    private let key = P256.Signing.PrivateKey()
    let certificate: Certificate
    /// A PEM file for `--ca`.
    let file: String

    init(_ name: String = "Doctor Test Root") throws {
        self.name = try DistinguishedName { CommonName(name) }
        certificate = try Self.make(
            subject: self.name, issuer: self.name, key: key, signer: key, days: -1...365,
            extensions: Certificate.Extensions { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)) })
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-doctor-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appendingPathComponent("ca.pem")
        try certificate.serializeAsPEM().pemString.write(to: url, atomically: true, encoding: .utf8)
        file = url.path
    }

    /// A server's context with a certificate of this authority.
    ///
    /// - Parameters:
    ///   - name: whom it is for; nil for a certificate that names nobody.
    ///   - days: its validity, in days from now.
    ///   - isSelfSigned: whether it is signed by itself instead.
    ///   - usages: for what it may be used; nil for a certificate that does not say.
    func server(
        name: String? = "localhost", days: ClosedRange<Double> = -1...365, isSelfSigned: Bool = false,
        usages: [ExtendedKeyUsage.Usage]? = nil
    ) throws -> NIOSSLContext {
        let own = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(name ?? "nobody") }
        let purposes = try usages.map { try ExtendedKeyUsage($0) }
        let certificate = try Self.make(
            subject: subject, issuer: isSelfSigned ? subject : self.name, key: own, signer: isSelfSigned ? own : key, days: days,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                if let name { SubjectAlternativeNames([.dnsName(name)]) }
                if let purposes { purposes }
            })
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: [
                    .certificate(NIOSSLCertificate(bytes: Array(certificate.serializeAsPEM().pemString.utf8), format: .pem))
                ],
                privateKey: .privateKey(NIOSSLPrivateKey(bytes: Array(own.pemRepresentation.utf8), format: .pem))))
    }

    private static func make(
        subject: DistinguishedName, issuer: DistinguishedName, key: P256.Signing.PrivateKey, signer: P256.Signing.PrivateKey,
        days: ClosedRange<Double>, extensions: Certificate.Extensions
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
            notValidBefore: Date() + days.lowerBound * 86_400, notValidAfter: Date() + days.upperBound * 86_400, issuer: issuer,
            subject: subject, signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions, issuerPrivateKey: .init(signer))
    }
}
