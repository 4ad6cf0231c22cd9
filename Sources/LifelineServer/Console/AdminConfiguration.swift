import NIOCore
import ServerConsole
import ServerRuntime

/// Why the admin port could not be opened.
package struct AdminPortError: Error {
    package let host: String
    package let port: Int
    /// The error of the operating system.
    package let cause: any Error
}

/// The port for the server's operator: the console in a browser, and metrics (rules CO-1 to CO-6).
package struct AdminConfiguration: Sendable {
    /// The address to listen on. Addresses other than this machine's require TLS: the server's own, or that of ``proxies``.
    package var host: String
    /// The port; 0 for any free one.
    package var port: Int
    /// The host names under which the console is available, in addition to IP addresses and `localhost`.
    package var names: [String] = []
    /// The addresses of proxies that terminate TLS. Their requests have a header field that says whether the client used TLS (rule CO-87).
    package var proxies: [ProxyNetwork] = []
    /// The passwords of the console; nil for metrics only.
    package var passwords: ConsolePasswords?
    /// Whether the public port also answers `/metrics`.
    package var tellsPublicMetrics = false

    package init(host: String = "127.0.0.1", port: Int) {
        self.host = host
        self.port = port
    }

    /// Whether only clients on this machine can reach the port.
    package var isLoopback: Bool { Self.isLoopback(host) }

    /// Whether only clients on this machine can reach an address.
    package static func isLoopback(_ host: String) -> Bool {
        if host.lowercased() == "localhost" { return true }
        return RemoteAddress(try? SocketAddress(ipAddress: host, port: 0))?.isLoopback == true
    }

    /// The console's address for browsers. With a proxy that terminates TLS it has the proxy's name, and its port is not known.
    func url(port: Int, usesTLS: Bool) -> String {
        if !proxies.isEmpty, !usesTLS, let name = names.first { return "https://\(name)/console" }
        let name = names.first ?? (["0.0.0.0", "::"].contains(host) ? "127.0.0.1" : host)
        return "\(usesTLS ? "https" : "http")://\(name.contains(":") ? "[\(name)]" : name):\(port)/console"
    }
}
