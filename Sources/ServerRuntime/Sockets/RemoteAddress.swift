import NIOCore

/// The address by which connections are counted and limited: an IPv4 address, or the first 64 bits of an IPv6 address, because one host can
/// use any address of such a network.
package struct RemoteAddress: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Whether the address is one of this machine itself: 127.0.0.0/8 or ::1.
    package let isLoopback: Bool

    /// Converts a socket's address; nil when it is not an IP address.
    package init?(_ address: SocketAddress?) {
        switch address {
        case .v4(let address):
            self.init(v4: UInt32(bigEndian: address.address.sin_addr.s_addr))
        case .v6(let address):
            var bytes = address.address.sin6_addr
            self = withUnsafeBytes(of: &bytes) { bytes in
                let high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
                let low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                // This IPv6 address contains an IPv4 address (::ffff:0:0/96), as a dual-stack socket reports it.
                if high == 0, low >> 32 == 0xFFFF { return RemoteAddress(v4: UInt32(truncatingIfNeeded: low)) }
                return RemoteAddress(network: high, isLoopback: high == 0 && low == 1)
            }
        case .unixDomainSocket, nil: return nil
        }
    }

    /// Parses the address that a proxy adds: alone, or with a port as `1.2.3.4:80` or `[::1]:80`. Nil for any other text.
    package init?(named text: String) {
        let colons = text.utf8.filter { $0 == UInt8(ascii: ":") }.count
        let bytes: Substring.UTF8View =
            if text.utf8.first == UInt8(ascii: "[") {
                text.utf8.dropFirst().prefix { $0 != UInt8(ascii: "]") }
            } else if colons == 1 {
                text.utf8.prefix { $0 != UInt8(ascii: ":") }
            } else {
                text.utf8[...]
            }
        self.init(try? SocketAddress(ipAddress: String(decoding: bytes, as: UTF8.self), port: 0))
    }

    /// A hexadecimal text that identifies the IPv4 address or the IPv6 network.
    package var text: String { String(high, radix: 16) + "-" + String(low, radix: 16) }

    private init(v4: UInt32) {
        (high, low, isLoopback) = (0, 0xFFFF << 32 | UInt64(v4), v4 >> 24 == 127)
    }

    private init(network: UInt64, isLoopback: Bool) {
        // No IPv4 address has the value `.max` in `low`, so an IPv6 network never equals an IPv4 address.
        (high, low, self.isLoopback) = (network, isLoopback ? 1 : .max, isLoopback)
    }
}

extension RemoteAddress: CustomStringConvertible {
    /// The IPv4 address, such as `192.0.2.1`, or the IPv6 network, such as `2001:db8:0:1::/64`.
    package var description: String {
        if isLoopback, high == 0, low == 1 { return "::1" }
        if high == 0, low >> 32 == 0xFFFF {
            return stride(from: 24, through: 0, by: -8).map { String(low >> UInt64($0) & 0xFF) }.joined(separator: ".")
        }
        return stride(from: 48, through: 0, by: -16).map { String(high >> UInt64($0) & 0xFFFF, radix: 16) }.joined(separator: ":")
            + "::/64"
    }
}
