import NIOCore
import NIOSSL

/// The reason why a server's own certificate is refused. Chain, name and dates are checked by the TLS library.
public enum CertificateFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The certificate cannot be parsed, or its key or signature has an unacceptable algorithm or size, such as RSA below 2048 bits.
    case unacceptable
    /// The certificate has the server's name only in its subject, which clients must not evaluate since RFC 9525.
    case noSubjectAlternativeName
    /// The certificate is signed with SHA-1.
    case weakSignature
    /// The certificate is not for the requested host.
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
    /// This check is needed, because the TLS library also accepts a certificate for the IP address of the socket's peer. With a certificate
    /// for its own address, an attacker could otherwise impersonate every server, as a proxy or by a forged name lookup.
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

    /// Whether a certificate's name matches a host. A wildcard matches exactly one label, the first one.
    static func matches(_ name: String, _ host: String) -> Bool {
        let (name, host) = (name.lowercased(), (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased())
        guard name.hasPrefix("*.") else { return !host.isEmpty && name == host }
        guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return false }
        return host[dot...] == name.dropFirst()
    }

    /// Throws for certificates that are too weak, although the TLS library accepts them (rule WT-7).
    public func checkStrength() throws(CertificateFault) {
        // Keys and signatures of unknown algorithms are refused as well, and so are RSA keys below 2048 bits.
        guard let content = try? CertificateContent(der: toDERBytes()), let algorithm = content.signatureAlgorithm,
            CertificateKey(content.key) != nil
        else { throw .unacceptable }
        if content.extensions.alternativeNames.isEmpty { throw .noSubjectAlternativeName }
        if algorithm == .rsaSHA1 { throw .weakSignature }
    }
}
