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
    /// Addresses other than this machine's are served with TLS only: the server's own, or that of ``proxies``.
    package var host: String
    /// 0 picks a free one.
    package var port: Int
    /// Names under which the console may be asked for, besides addresses and `localhost`.
    package var names: [String] = []
    /// Where proxies that end TLS are; a request of theirs says that it came over TLS (rule CO-87).
    package var proxies: [ProxyNetwork] = []
    /// Nil for figures only.
    package var passwords: ConsolePasswords?
    /// Whether the public port keeps answering `/metrics`.
    package var tellsPublicMetrics = false

    package init(host: String = "127.0.0.1", port: Int) {
        self.host = host
        self.port = port
    }

    /// Whether only programs of this machine can reach the port.
    package var isLoopback: Bool { Self.isLoopback(host) }

    /// Whether an address is one that only programs of this machine reach.
    package static func isLoopback(_ host: String) -> Bool {
        if host.lowercased() == "localhost" { return true }
        return RemoteAddress(try? SocketAddress(ipAddress: host, port: 0))?.isLoopback == true
    }

    /// Where browsers open the console: with a proxy that ends TLS, at the name that it has, and its port is not known.
    func url(port: Int, usesTLS: Bool) -> String {
        if !proxies.isEmpty, !usesTLS, let name = names.first { return "https://\(name)/console" }
        let name = names.first ?? (["0.0.0.0", "::"].contains(host) ? "127.0.0.1" : host)
        return "\(usesTLS ? "https" : "http")://\(name.contains(":") ? "[\(name)]" : name):\(port)/console"
    }
}
