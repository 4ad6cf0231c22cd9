import NIOCore

/// The address of a proxy, or a network of proxies such as `10.0.0.0/8` or `fd00::/8` (rule CO-87). A pure value.
package struct ProxyNetwork: Hashable, Sendable, CustomStringConvertible {
    /// The text from which the network was parsed.
    package let description: String
    private let start: [UInt8]
    /// The length of the network's prefix in bits, 1 to 128.
    private let length: Int

    /// Parses an address or a network. Nil for any other text, and for a network of all IPv4 or all IPv6 addresses.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let name = parts.first,
            let address = try? SocketAddress(ipAddress: String(name), port: 0), let bytes = Self.bytes(of: address)
        else { return nil }
        // IPv4 addresses are compared as the last 32 bits of IPv6 addresses, so 96 is added to their prefix lengths.
        let offset = name.contains(":") ? 0 : 96
        var length = 128
        if parts.count == 2, let digits = parts.last {
            guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let bits = Int(digits),
                (1...(128 - offset)).contains(bits)
            else { return nil }
            length = offset + bits
        }
        description = text
        start = bytes
        self.length = length
    }

    package func contains(_ address: SocketAddress?) -> Bool {
        guard let bytes = address.flatMap(Self.bytes) else { return false }
        for (index, (one, other)) in zip(bytes, start).enumerated() {
            let rest = length - index * 8
            guard rest > 0 else { return true }
            let mask: UInt8 = rest >= 8 ? 0xFF : ~(0xFF >> UInt8(clamping: rest))
            guard (one ^ other) & mask == 0 else { return false }
        }
        return true
    }

    /// The address as the sixteen bytes of an IPv6 address. IPv4 addresses are mapped to IPv6.
    private static func bytes(of address: SocketAddress) -> [UInt8]? {
        switch address {
        case .v4(let address):
            var bytes = address.address.sin_addr
            return [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + withUnsafeBytes(of: &bytes) { Array($0) }
        case .v6(let address):
            var bytes = address.address.sin6_addr
            return withUnsafeBytes(of: &bytes) { Array($0) }
        case .unixDomainSocket: return nil
        }
    }
}
