import WebSocketFraming

/// The client of a WebSocket request: the origin of its page, its address, and whether it uses TLS. A pure value.
package struct RequestOrigin: Hashable, Sendable {
    /// The origin of the web page whose script connects; nil for programs, which send no `Origin` field. A request with two `Origin` fields
    /// is treated like one whose origin is not allowed.
    package var origin: String?
    /// Whether the connection from the client is encrypted, as far as the server can know.
    package var usesTLS: Bool
    /// The client's IP address, for logs; nil when it is not known.
    package var address: String?

    /// - Parameters:
    ///   - usesTLS: whether the connection itself uses TLS.
    ///   - address: the remote address of the connection.
    ///   - trustsProxyHeaders: whether the remote address is a proxy that adds the client's address. The last of several addresses is used,
    ///     because the proxy wrote it, while the client may have sent the earlier ones (rule SO-12).
    package init(_ fields: some Sequence<HeaderField>, usesTLS: Bool, address: String?, trustsProxyHeaders: Bool) {
        self.usesTLS = usesTLS
        self.address = address
        var origins: [String] = []
        var (forwardedFor, forwardedProtocol): (String?, String?)
        for field in fields {
            if HeaderFields.isName(field.name, "origin") {
                origins.append(field.value)
            } else if trustsProxyHeaders, HeaderFields.isName(field.name, "x-forwarded-for") {
                forwardedFor = Self.last(of: field.value)
            } else if trustsProxyHeaders, HeaderFields.isName(field.name, "x-forwarded-proto") {
                forwardedProtocol = Self.last(of: field.value)
            }
        }
        if !origins.isEmpty { origin = origins.joined(separator: " ") }
        if let forwardedProtocol { self.usesTLS = ["https", "wss"].contains(forwardedProtocol.lowercased()) }
        if let forwardedFor { self.address = Self.isAddress(forwardedFor) ? forwardedFor : nil }
    }

    private static func last(of list: String) -> String {
        var value = list[...]
        if let comma = value.lastIndex(of: ",") { value = value[value.index(after: comma)...] }
        while value.first == " " || value.first == "\t" { value.removeFirst() }
        while value.last == " " || value.last == "\t" { value.removeLast() }
        return String(value)
    }

    /// Returns whether a text looks like an IP address, possibly with a port. Other texts are not used, because clients can send any text
    /// and the address is written to the log.
    private static func isAddress(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.allSatisfy { $0.isASCII && ($0.isHexDigit || ".:[]".contains($0)) }
    }
}
