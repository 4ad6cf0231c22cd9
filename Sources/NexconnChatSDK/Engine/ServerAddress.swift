import ChatProtocol
import Foundation
import TransportCommon

/// The server's address, from ``InitParams/naviServer`` (rule NC-2).
struct ServerAddress: Hashable, Sendable {
    var host: String
    var port: Int
    var usesTLS: Bool
    /// The path of the URL at which the session connects.
    var path: String

    /// Reads `http://…`, `https://…`, `ws://…` or `wss://…` with or without port and path, `host:port`, or `host`. Without a scheme the
    /// connection uses TLS, unless the host is this machine, so that a missing scheme never causes an unencrypted transfer of the token.
    ///
    /// - Throws: 33003 with a reason that describes the error.
    init(_ text: String?) throws(NCError) {
        guard let text = text?.trimmingCharacters(in: .whitespacesAndNewlines), !text.isEmpty else {
            throw NCError(
                .badArgument,
                reason: "InitParams.naviServer is not set. This library works with Lifeline's server, not with Nexconn's."
                    + " Set naviServer to the address of a Lifeline server, such as http://127.0.0.1:6001.")
        }
        let hasScheme = text.contains("://")
        guard let parts = URLComponents(string: hasScheme ? text : "http://" + text),
            let scheme = parts.scheme?.lowercased(), ["http", "https", "ws", "wss"].contains(scheme),
            let host = parts.host?.trimmingCharacters(in: CharacterSet(charactersIn: "[]")), !host.isEmpty,
            (1...65_535).contains(parts.port ?? 1)
        else {
            throw NCError(
                .badArgument,
                reason: "InitParams.naviServer is not an address of a server. Use one such as http://127.0.0.1:6001 or"
                    + " wss://chat.example.com.")
        }
        self.host = host
        usesTLS = hasScheme ? scheme == "https" || scheme == "wss" : !Loopback.contains(host)
        port = parts.port ?? (usesTLS ? 443 : hasScheme ? 80 : Self.port)
        let folders = parts.percentEncodedPath.split(separator: "/").joined(separator: "/")
        let prefix = folders.isEmpty ? "" : "/" + folders
        path = prefix.hasSuffix(ChatMemory.path) ? prefix : prefix + ChatMemory.path
    }

    /// The port of `lifeline serve` on this machine.
    private static let port = 6001
}
