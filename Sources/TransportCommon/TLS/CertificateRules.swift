import NIOCore
import NIOSSL

/// A fault of a server's own certificate beyond its chain, name and dates, which the TLS library checks.
public enum CertificateFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The certificate cannot be read, or its key or signature has an algorithm or size that is not accepted, such as RSA below 2048
    /// bits.
    case unacceptable
    /// The certificate names the server only in its subject, which is not evaluated since RFC 9525.
    case noSubjectAlternativeName
    /// The certificate is signed with SHA-1.
    case weakSignature
    /// The certificate is for other names.
    case wrongName
    /// Neither the certificate nor one of its issuers has a pinned key. The value is the certificate's own pin.
    case unpinned(String)

    public var description: String {
        switch self {
        case .unacceptable: "CERTIFICATE_UNACCEPTABLE"
        case .noSubjectAlternativeName: "NO_SUBJECT_ALTERNATIVE_NAME"
        case .weakSignature: "WEAK_SIGNATURE"
        case .wrongName: "HOSTNAME_MISMATCH"
        case .unpinned: "PIN_MISMATCH"
        }
    }
}

extension NIOSSLCertificate {
    /// Whether one of the alternative names matches `host`, a host name or an IP address without brackets (RFC 9525, 6).
    ///
    /// The TLS library also accepts a certificate for the address of the socket's peer instead of the requested name. An attacker with
    /// a certificate for his own address could impersonate every server, as a proxy or by a forged name lookup.
    public func names(_ host: String) -> Bool {
        guard let content = try? CertificateContent(der: toDERBytes()) else { return false }
        let address = (try? SocketAddress(ipAddress: host, port: 0)).map(Self.bytes)
        return content.extensions.alternativeNames.contains { name in
            switch (name, address) {
            case (.address(let bytes), let address?): bytes == address
            case (.host(let name), nil): Self.matches(name, host)
            default: false
            }
        }
    }

    private static func bytes(_ address: SocketAddress) -> [UInt8] {
        switch address {
        case .v4(let address): withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
        case .v6(let address): withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
        case .unixDomainSocket: []
        }
    }

    /// Whether a name matches. A wildcard matches exactly one label, the first.
    static func matches(_ name: String, _ host: String) -> Bool {
        let (name, host) = (name.lowercased(), (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased())
        guard name.hasPrefix("*.") else { return !host.isEmpty && name == host }
        guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return false }
        return host[dot...] == name.dropFirst()
    }

    /// Refuses certificates that the TLS library still accepts although they are too weak (rule WT-7).
    public func checkStrength() throws(CertificateFault) {
        // Unknown keys and signatures are refused as well, such as RSA keys below 2048 bits.
        guard let content = try? CertificateContent(der: toDERBytes()), let algorithm = content.signatureAlgorithm,
            CertificateKey(content.key) != nil
        else { throw .unacceptable }
        if content.extensions.alternativeNames.isEmpty { throw .noSubjectAlternativeName }
        if algorithm == .rsaSHA1 { throw .weakSignature }
    }
}
