import ConnectionEngine
import NIOSSL
import X509

/// Verifies the chain of a server whose certificates are pinned, and says which certificates it consists of.
///
/// The TLS library verifies chains as well, but keeps them to itself, and the certificates that a server sends are no proof: it may
/// add any it likes. Only those on the way from its own to a trusted root count for pins (rule WT-17).
struct ChainVerifier: Sendable {
    private let roots: CertificateStore

    /// Nil where only the operating system knows the roots; there, the platform verifies.
    ///
    /// - Throws: when the file of roots cannot be read. Blocks.
    init?(_ roots: TrustRoots) throws {
        switch roots {
        case .file(let path):
            // Roots of a kind that the cryptography library does not take cannot be the end of a chain.
            self.roots = CertificateStore(
                try NIOSSLCertificate.fromPEMFile(path).compactMap { try? Certificate(derEncoded: $0.toDERBytes()) })
        case .system:
            #if os(Linux)
                self.roots = .systemTrustRoots
            #else
                return nil
            #endif
        }
    }

    /// Judges what a server sent, its own certificate first. Name or address are judged here too.
    func verify(_ sent: [NIOSSLCertificate], host: String, isAddress: Bool) async -> NIOSSLVerificationResultWithMetadata {
        let certificates = sent.compactMap { try? Certificate(derEncoded: $0.toDERBytes()) }
        guard let leaf = certificates.first, certificates.count == sent.count else { return .failed }
        var verifier = Verifier(rootCertificates: roots) {
            RFC5280Policy()
            ServerIdentityPolicy(serverHostname: isAddress ? nil : host, serverIP: isAddress ? host : nil)
        }
        let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore(certificates.dropFirst()))
        guard case .validCertificate(let chain) = result, Self.servesServers(chain) else { return .failed }
        let verified = chain.compactMap { certificate -> NIOSSLCertificate? in
            (try? certificate.serializeAsPEM()).flatMap { try? NIOSSLCertificate(bytes: $0.derBytes, format: .der) }
        }
        guard verified.count == chain.count else { return .failed }
        return .certificateVerified(VerificationMetadata(NIOSSL.ValidatedCertificateChain(verified)))
    }

    /// What the TLS library asks of a chain beyond RFC 5280's paths: every certificate may be used for servers, and those that
    /// sign may sign certificates.
    private static func servesServers(_ chain: X509.ValidatedCertificateChain) -> Bool {
        for (index, certificate) in chain.enumerated() {
            do {
                if let uses = try certificate.extensions.extendedKeyUsage, !uses.contains(.serverAuth), !uses.contains(.any) {
                    return false
                }
                if let usage = try certificate.extensions.keyUsage {
                    let fits = index == 0 ? usage.digitalSignature || usage.keyEncipherment : usage.keyCertSign
                    if !fits { return false }
                }
                let isRoot = index == chain.count - 1
                if !isRoot, certificate.signatureAlgorithm == .sha1WithRSAEncryption { return false }
            } catch {
                return false
            }
        }
        return true
    }
}
