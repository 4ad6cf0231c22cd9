import Foundation
import NIOSSL

@testable import TransportCommon

/// Certificates of servers, which a client with pins reads itself.
enum CertificateTargets {
    static let all = [FuzzTarget(name: "certificate", run: certificate), FuzzTarget(name: "certificate-parts", run: parts)]

    /// A certificate as the TLS library would hand it over.
    @Sendable private static func certificate(_ input: FuzzInput) {
        let der = input.array
        guard let content = try? CertificateContent(der: der) else { return }
        judge(content)
        guard let whole = try? NIOSSLCertificate(bytes: der, format: .der) else { return }
        let verifier = ChainVerifier(roots: TrustedRoots([whole]))
        _ = verifier.verify([whole, whole], host: "example.com", unixTime: 1_763_710_000)
        _ = verifier.verify([whole], host: "127.0.0.1", unixTime: .max)
    }

    private static func judge(_ content: CertificateContent) {
        _ = CertificateKey(content.key)?.hasSigned(content)
        _ = content.isSelfIssued
        _ = content.extensions.servesServers
        _ = content.extensions.nameConstraints?.allow(content)
    }

    /// Parts of a certificate on their own, so that the fuzzer need not get the lengths of the parts around them right. The first byte
    /// chooses.
    @Sendable private static func parts(_ input: FuzzInput) {
        var input = input
        let choice = input.byte()
        var reader = DERReader(input.array[...])
        switch choice % 4 {
        case 0: _ = try? CertificateExtensions(reader)
        case 1: _ = try? NameConstraints(reader)
        case 2: _ = CertificateKey(input.array[...])
        default:
            if let time = try? CertificateTime.read(&reader) {
                require((-62_200_000_000...253_500_000_000).contains(time), "The time \(time) is outside of its four digits.")
            }
        }
    }
}
