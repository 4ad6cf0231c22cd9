import Crypto
import Foundation
import NIOSSL
import X509

@testable import TransportCommon

/// A key with a name, and the certificates that it signs.
struct TestIssuer {
    let name: DistinguishedName
    let key = P256.Signing.PrivateKey()

    init(_ name: String) throws {
        self.name = try DistinguishedName { CommonName(name) }
    }

    /// A certificate of this issuer for the key of another, or for its own.
    func certificate(
        for other: TestIssuer? = nil, days: ClosedRange<Double> = -1...30,
        @ExtensionsBuilder extensions: () throws -> Result<Certificate.Extensions, any Error>
    ) throws -> NIOSSLCertificate {
        let subject = other ?? self
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(subject.key.publicKey),
            notValidBefore: Date() + days.lowerBound * 86_400, notValidAfter: Date() + days.upperBound * 86_400, issuer: name,
            subject: subject.name, signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions().get(),
            issuerPrivateKey: .init(key))
        return try NIOSSLCertificate(bytes: certificate.serializeAsPEM().derBytes, format: .der)
    }

    /// A certificate of an authority.
    func authority(
        for other: TestIssuer? = nil, below: Int? = nil, days: ClosedRange<Double> = -1...30
    ) throws -> NIOSSLCertificate {
        try certificate(for: other, days: days) { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: below)) }
    }

    /// A server's certificate.
    func server(_ other: TestIssuer, names: [GeneralName] = [.dnsName("host.test")]) throws -> NIOSSLCertificate {
        try certificate(for: other) {
            Critical(BasicConstraints.notCertificateAuthority)
            SubjectAlternativeNames(names)
        }
    }
}
