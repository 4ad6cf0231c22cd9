import NIOCore

/// Recognises hosts that are this machine itself, whose traffic no other machine can read.
public enum Loopback {
    /// Whether `host` is this machine: `localhost` or a subdomain of it, an address of 127.0.0.0/8, `::1`, or the unspecified address
    /// (`0.0.0.0`, `::`).
    ///
    /// - Parameter host: a host name or an IP address; IPv6 addresses with or without brackets.
    public static func contains(_ host: String) -> Bool {
        var name = host.lowercased()
        if name.hasPrefix("[") && name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        if name.hasSuffix(".") { name.removeLast() }
        if name == "localhost" || name.hasSuffix(".localhost") || name == "ip6-localhost" { return true }
        return (try? SocketAddress(ipAddress: name, port: 0))?.isLoopback ?? false
    }
}

extension SocketAddress {
    /// Whether the address is this machine itself: `127.0.0.0/8`, `::1`, an IPv4-mapped loopback address, or the unspecified address.
    var isLoopback: Bool {
        switch self {
        case .v4(let address):
            let bits = UInt32(bigEndian: address.address.sin_addr.s_addr)
            return bits >> 24 == 127 || bits == 0
        case .v6(let address):
            let bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
            if bytes.prefix(15).allSatisfy({ $0 == 0 }) { return bytes[15] <= 1 }
            return bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF && bytes[12] == 127
        case .unixDomainSocket: return true
        }
    }
}
