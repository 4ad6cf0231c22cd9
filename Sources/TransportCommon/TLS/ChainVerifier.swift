import ConnectionEngine
import NIOConcurrencyHelpers
import NIOSSL

/// Verifies the certificate chain of a server whose certificates are pinned, and returns the certificates of the verified path.
///
/// The TLS library verifies chains as well, but does not expose the path, and a server may send any additional certificates. Only
/// certificates on the verified path from the server's own certificate to a trusted root are compared with pins (rule WT-17).
struct ChainVerifier: Sendable {
    /// The largest number of certificates in a chain, including the root.
    static let longestChain = 10
    /// The largest number of signatures that are checked. A chain with more possible paths is refused.
    static let mostSignatures = 64

    private let roots: TrustedRoots

    /// Makes a verifier. Nil when the root certificates cannot be read by a program, because the operating system alone has them; the
    /// system then verifies the chain.
    ///
    /// - Throws: when the file of root certificates cannot be read. Blocks while it reads the file.
    init?(_ roots: TrustRoots) throws {
        guard let roots = try TrustedRoots.shared(roots) else { return nil }
        self.roots = roots
    }

    init(roots: TrustedRoots) {
        self.roots = roots
    }

    /// Verifies the certificates that a server has sent, including its name or address. The server's own certificate must come first.
    func verify(_ sent: [NIOSSLCertificate], host: String, unixTime: Int64) -> NIOSSLVerificationResultWithMetadata {
        let links = sent.compactMap(ChainLink.init)
        guard let leaf = links.first, links.count == sent.count, leaf.certificate.names(host),
            leaf.isServer(at: unixTime)
        else { return .failed }
        var search = ChainSearch(roots: roots, sent: Array(links.dropFirst()), unixTime: unixTime)
        guard let chain = search.chain(from: [leaf]) else { return .failed }
        return .certificateVerified(VerificationMetadata(ValidatedCertificateChain(chain.map(\.certificate))))
    }
}

/// A certificate with its parsed content.
struct ChainLink: Sendable {
    let certificate: NIOSSLCertificate
    let content: CertificateContent

    init?(_ certificate: NIOSSLCertificate) {
        guard let der = try? certificate.toDERBytes(), let content = try? CertificateContent(der: der) else { return nil }
        self.certificate = certificate
        self.content = content
    }

    /// Whether a certificate is valid now, may be used by servers, and has no unknown critical extension.
    private func isUsable(at unixTime: Int64) -> Bool {
        content.validity.contains(unixTime) && content.extensions.servesServers && !content.extensions.hasUnknownCritical
    }

    func isServer(at unixTime: Int64) -> Bool {
        let uses = CertificateExtensions.digitalSignature | CertificateExtensions.keyEncipherment
        return isUsable(at: unixTime) && (content.extensions.keyUsage ?? uses) & uses != 0
    }

    /// Whether this certificate may have issued the last certificate of `chain`: the name, validity, key usage and constraints of this
    /// certificate permit this. The signature is not checked here.
    func mayIssue(for chain: [ChainLink], at unixTime: Int64) -> Bool {
        guard let last = chain.last, content.subject.elementsEqual(last.content.issuer), isUsable(at: unixTime) else {
            return false
        }
        guard let authority = content.extensions.authority else { return false }
        if let usage = content.extensions.keyUsage, usage & CertificateExtensions.certificateSigning == 0 { return false }
        // Self-issued certificates do not count towards the permitted length of the path, because an authority issues them to itself when
        // it changes its key.
        let below = chain.dropFirst().count(where: { !$0.content.isSelfIssued })
        if let most = authority.pathLength, below > most { return false }
        guard let constraints = content.extensions.nameConstraints else { return true }
        return chain.allSatisfy { constraints.allow($0.content) }
    }
}

/// Searches a path from a server's certificate to a trusted root. The sent certificates are tried in their order.
struct ChainSearch {
    private let roots: TrustedRoots
    private let sent: [ChainLink]
    private let unixTime: Int64
    private var signaturesLeft = ChainVerifier.mostSignatures

    init(roots: TrustedRoots, sent: [ChainLink], unixTime: Int64) {
        self.roots = roots
        self.sent = sent
        self.unixTime = unixTime
    }

    mutating func chain(from chain: [ChainLink]) -> [ChainLink]? {
        guard let last = chain.last, chain.count < ChainVerifier.longestChain else { return nil }
        // A trusted certificate ends the chain, even if it is the server's own certificate or was sent by the server. A server's own
        // certificate among the trusted ones need not belong to an authority: it is trusted directly, with and without pins.
        if roots.contain(last) { return chain }
        for root in roots.named(last.content.issuer) where hasSigned(root, chain) { return chain + [root] }
        for link in sent where !chain.contains(where: { $0.certificate == link.certificate }) && hasSigned(link, chain) {
            if let found = self.chain(from: chain + [link]) { return found }
        }
        return nil
    }

    private mutating func hasSigned(_ issuer: ChainLink, _ chain: [ChainLink]) -> Bool {
        guard let last = chain.last, issuer.mayIssue(for: chain, at: unixTime), signaturesLeft > 0 else { return false }
        signaturesLeft -= 1
        return CertificateKey(issuer.content.key)?.hasSigned(last.content) ?? false
    }
}

/// The trusted certificates that may end a chain, by their subject names.
struct TrustedRoots: Sendable {
    private let bySubject: [ArraySlice<UInt8>: [ChainLink]]

    init(_ certificates: [NIOSSLCertificate]) {
        // Certificates that cannot be parsed are left out.
        bySubject = Dictionary(grouping: certificates.compactMap(ChainLink.init)) { $0.content.subject }
    }

    func named(_ name: ArraySlice<UInt8>) -> [ChainLink] { bySubject[name] ?? [] }

    func contain(_ link: ChainLink) -> Bool {
        named(link.content.subject).contains { $0.certificate == link.certificate }
    }

    private static let known = NIOLockedValueBox<[TrustRoots: TrustedRoots]>([:])

    /// The files with the trusted authorities on Linux distributions.
    private static let systemFiles = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]

    /// The trusted root certificates. They are read once per process; nil when the operating system alone has them.
    ///
    /// - Throws: when no file can be read. A failure is not cached.
    static func shared(_ roots: TrustRoots) throws -> TrustedRoots? {
        if let known = known.withLockedValue({ $0[roots] }) { return known }
        let certificates: [NIOSSLCertificate]
        switch roots {
        case .file(let path): certificates = try NIOSSLCertificate.fromPEMFile(path)
        case .system:
            #if os(Linux)
                guard let first = systemFiles.lazy.compactMap({ try? NIOSSLCertificate.fromPEMFile($0) }).first else {
                    throw ConnectionFailure.unreadableRoots
                }
                certificates = first
            #else
                return nil
            #endif
        }
        let read = TrustedRoots(certificates)
        known.withLockedValue { $0[roots] = read }
        return read
    }
}
