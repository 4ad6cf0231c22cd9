import NIOCore
import ServerConsole
import ServerRuntime

/// The error of an admin port that could not be opened.
package struct AdminPortError: Error {
    package let host: String
    package let port: Int
    /// The error of the operating system.
    package let cause: any Error
}

/// The settings of the admin port, which serves the console for browsers and the metrics (rules CO-1 to CO-6).
package struct AdminConfiguration: Sendable {
    /// The address to listen on. If other machines can reach it, TLS is required: the server's own, or that of ``proxies``.
    package var host: String
    /// The port to listen on; 0 for any free port.
    package var port: Int
    /// The host names under which the console is available, in addition to IP addresses and `localhost`.
    package var names: [String] = []
    /// The addresses of proxies that terminate TLS. A header field of their requests says whether the client used TLS (rule CO-87).
    package var proxies: [ProxyNetwork] = []
    /// The passwords of the console; nil for an admin port with metrics only.
    package var passwords: ConsolePasswords?
    /// Whether the public port also answers `/metrics`.
    package var tellsPublicMetrics = false

    package init(host: String = "127.0.0.1", port: Int) {
        self.host = host
        self.port = port
    }

    /// Whether only clients on this machine can reach the admin port.
    package var isLoopback: Bool { Self.isLoopback(host) }

    /// Whether only clients on this machine can reach an address.
    package static func isLoopback(_ host: String) -> Bool {
        if host.lowercased() == "localhost" { return true }
        return RemoteAddress(try? SocketAddress(ipAddress: host, port: 0))?.isLoopback == true
    }

    /// The console's address for browsers. Behind a proxy that terminates TLS, the address has the proxy's name and no port, because the
    /// proxy's port is not known.
    func url(port: Int, usesTLS: Bool) -> String {
        if !proxies.isEmpty, !usesTLS, let name = names.first { return "https://\(name)/console" }
        let name = names.first ?? (["0.0.0.0", "::"].contains(host) ? "127.0.0.1" : host)
        return "\(usesTLS ? "https" : "http")://\(name.contains(":") ? "[\(name)]" : name):\(port)/console"
    }
}
