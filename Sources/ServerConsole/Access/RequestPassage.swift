import NIOCore
import NIOHTTP1
import ServerRuntime

/// How a request reached the admin port: directly, or through a proxy that terminates TLS (rules CO-87 and CO-88).
package struct RequestPassage: Hashable, Sendable {
    /// Whether the browser's connection is encrypted, up to this server or to the proxy in front of it.
    package var usesTLS: Bool
    /// The client's address, to which limits apply; nil when it is not known.
    package var address: RemoteAddress?
    /// The client's address as text for logs; nil when it is not known.
    package var shownAddress: String?

    /// Returns nil for a request that must be refused: the client reached a proxy without TLS, or sent the request directly from another
    /// machine without TLS although proxies are configured.
    ///
    /// - Parameter peer: the remote address of the connection.
    package init?(_ headers: HTTPHeaders, from peer: SocketAddress?, _ settings: ConsoleSettings) {
        (usesTLS, address, shownAddress) = (settings.usesTLS, RemoteAddress(peer), peer?.ipAddress)
        let isLocal = address?.isLoopback == true
        let isProxy = settings.proxies.contains { $0.contains(peer) }
        if isProxy, headers.contains(name: "x-forwarded-proto") {
            let origin = RequestOrigin(headers, usesTLS: false, address: peer?.ipAddress, trustsProxyHeaders: true)
            guard origin.usesTLS else { return nil }
            usesTLS = true
            name(origin.address)
        } else if settings.usesTLS || isLocal || settings.proxies.isEmpty {
            guard settings.trustsProxyHeaders, isLocal else { return }
            name(RequestOrigin(headers, usesTLS: false, address: peer?.ipAddress, trustsProxyHeaders: true).address)
        } else {
            return nil
        }
    }

    private mutating func name(_ text: String?) {
        (address, shownAddress) = (text.flatMap { RemoteAddress(named: $0) }, text)
    }
}
