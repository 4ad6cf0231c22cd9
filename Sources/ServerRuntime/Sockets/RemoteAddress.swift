import NIOCore

/// The unit for which connections are counted: an IPv4 address, or an IPv6 network of 64 bits, in which one host can use any address.
package struct RemoteAddress: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// The addresses of this machine itself: 127.0.0.0/8 and ::1.
    package let isLoopback: Bool

    /// Nil for an address that is not an IP address.
    package init?(_ address: SocketAddress?) {
        switch address {
        case .v4(let address):
            self.init(v4: UInt32(bigEndian: address.address.sin_addr.s_addr))
        case .v6(let address):
            var bytes = address.address.sin6_addr
            self = withUnsafeBytes(of: &bytes) { bytes in
                let high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
                let low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                // An IPv4 address in the form of a dual-stack socket.
                if high == 0, low >> 32 == 0xFFFF { return RemoteAddress(v4: UInt32(truncatingIfNeeded: low)) }
                return RemoteAddress(network: high, isLoopback: high == 0 && low == 1)
            }
        case .unixDomainSocket, nil: return nil
        }
    }

    /// The address that a proxy adds: alone, or with a port as `1.2.3.4:80` or `[::1]:80`. Nil for any other text.
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

    /// A text that identifies the address, or its IPv6 network.
    package var text: String { String(high, radix: 16) + "-" + String(low, radix: 16) }

    private init(v4: UInt32) {
        (high, low, isLoopback) = (0, 0xFFFF << 32 | UInt64(v4), v4 >> 24 == 127)
    }

    private init(network: UInt64, isLoopback: Bool) {
        // No IPv4 address has this second half.
        (high, low, self.isLoopback) = (network, isLoopback ? 1 : .max, isLoopback)
    }
}
