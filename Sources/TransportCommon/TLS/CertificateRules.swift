import NIOSSL
import X509

/// What is wrong with a server's own certificate beyond its chain, name and dates, which the TLS library checks.
public enum CertificateFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// It cannot be read, or its key or signature is of a kind or size that is not accepted, such as RSA below 2048 bits.
    case unacceptable
    /// It names the server only in its subject, which has meant nothing since RFC 9525.
    case noSubjectAlternativeName
    /// It is signed with SHA-1.
    case weakSignature
    /// Neither it nor what signed it has a pinned key; with its own pin.
    case unpinned(String)

    public var description: String {
        switch self {
        case .unacceptable: "CERTIFICATE_UNACCEPTABLE"
        case .noSubjectAlternativeName: "NO_SUBJECT_ALTERNATIVE_NAME"
        case .weakSignature: "WEAK_SIGNATURE"
        case .unpinned: "PIN_MISMATCH"
        }
    }
}

extension NIOSSLCertificate {
    /// Refuses what the TLS library still lets pass (rule WT-7).
    public func checkStrength() throws(CertificateFault) {
        let certificate: Certificate
        do {
            // Reading fails for what the cryptography library does not take: RSA keys below 2048 bits, unknown signatures.
            certificate = try Certificate(derEncoded: toDERBytes())
        } catch {
            throw .unacceptable
        }
        let hasNames = (try? certificate.extensions.subjectAlternativeNames).map { !$0.isEmpty } ?? false
        if !hasNames { throw .noSubjectAlternativeName }
        if certificate.signatureAlgorithm == .sha1WithRSAEncryption { throw .weakSignature }
    }
}
