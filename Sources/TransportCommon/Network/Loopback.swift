import NIOCore

extension SocketAddress {
    /// Whether the address is this machine itself: `127.0.0.0/8`, `::1`, an IPv4 loopback address within IPv6, or "any".
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
