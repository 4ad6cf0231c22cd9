import Foundation
import X509

/// Why a certificate was not accepted.
enum CertificateProblem: Hashable, Sendable {
    case expired(days: Int)
    case notYetValid(days: Int)
    case wrongName([String])
    case selfSigned
    case unknownIssuer(String)
    case chainExpired(String)
    /// The certificate permits only these purposes, which do not include its use by a TLS server.
    case wrongUsage([String])
    case weak
    case unclear
}

/// The contents of a server's certificate, for output.
struct CertificateReport: Sendable {
    let subject: String
    let issuer: String
    /// The names and addresses for which the certificate is valid.
    let names: [String]
    let validFrom: Date
    let validUntil: Date

    init(_ certificate: Certificate) {
        subject = String(describing: certificate.subject)
        issuer = String(describing: certificate.issuer)
        validFrom = certificate.notValidBefore
        validUntil = certificate.notValidAfter
        names = ((try? certificate.extensions.subjectAlternativeNames).flatMap { $0 } ?? SubjectAlternativeNames())
            .compactMap { name in
                switch name {
                case .dnsName(let name): name
                case .ipAddress(let address): Self.address(Array(address.bytes))
                default: nil
                }
            }
    }

    /// Whole days from `now` to the end of the validity.
    func daysLeft(_ now: Date) -> Int { Int(validUntil.timeIntervalSince(now) / 86_400) }

    /// Why the certificate at the front of `chain` was not accepted; the first reason that applies.
    ///
    /// - Parameter isMeant: whether the certificate names the requested host.
    static func problem(of chain: [Certificate], isMeant: Bool, now: Date) -> CertificateProblem {
        guard let leaf = chain.first else { return .unclear }
        let report = CertificateReport(leaf)
        if report.validUntil < now { return .expired(days: -report.daysLeft(now)) }
        if report.validFrom > now { return .notYetValid(days: Int(report.validFrom.timeIntervalSince(now) / 86_400)) }
        if !isMeant { return .wrongName(report.names) }
        if let uses = wrongUsage(leaf) { return .wrongUsage(uses) }
        if leaf.signatureAlgorithm == .sha1WithRSAEncryption { return .weak }
        if leaf.issuer == leaf.subject { return .selfSigned }
        if let old = chain.dropFirst().first(where: { $0.notValidAfter < now }) {
            return .chainExpired(String(describing: old.subject))
        }
        return .unknownIssuer(String(describing: chain.last?.issuer ?? leaf.issuer))
    }

    /// The purposes that a certificate permits, if its use by a TLS server is not one of them; otherwise nil (RFC 5280, 4.2.1.3 and
    /// 4.2.1.12).
    private static func wrongUsage(_ leaf: Certificate) -> [String]? {
        if let uses = (try? leaf.extensions.extendedKeyUsage).flatMap({ $0 }), !uses.contains(.serverAuth), !uses.contains(.any) {
            return uses.map { String(describing: $0) }
        }
        if let usage = (try? leaf.extensions.keyUsage).flatMap({ $0 }), !usage.digitalSignature, !usage.keyEncipherment {
            return [String(describing: usage)]
        }
        return nil
    }

    private static func address(_ bytes: [UInt8]) -> String? {
        switch bytes.count {
        case 4: bytes.map(String.init).joined(separator: ".")
        case 16:
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
                inet_ntop(AF_INET6, bytes, text.baseAddress, socklen_t(INET6_ADDRSTRLEN)).map { String(cString: $0) }
            }
        default: nil
        }
    }
}
