import LifelineServer
import Logging
import ServerConsole
import ServerStorage

/// The settings of the admin port (rules CO-1 to CO-6).
struct AdminSettings: Hashable, Sendable {
    var host = "127.0.0.1"
    var port: Int
    var names: [String] = []
    /// The networks of proxies that terminate TLS in front of the admin port (rule CO-87).
    var proxies: [ProxyNetwork] = []
    /// The password of the console; nil when one is generated at the first start.
    var password: Secret?
    var readOnlyPassword: Secret?
    var tellsPublicMetrics = false

    /// Whether only programs on this machine can reach the port.
    var isLoopback: Bool { AdminConfiguration.isLoopback(host) }
}

extension ServeSettings {
    /// Reads the settings of the admin port; nil for a server without one.
    func admin(_ given: GivenSettings) throws(CommandFailure) -> AdminSettings? {
        guard given.values[ServerSetting.adminPort.name] != nil else {
            if let alone = given.first(of: [.adminHost, .adminNames, .adminTrustProxy, .adminPassword, .adminReadOnlyPassword]) {
                throw alone.failure("is for the admin port: give adminPort, too (--admin-port, LIFELINE_ADMIN_PORT).")
            }
            return nil
        }
        if let reader = adminParts.readOnlyPassword, reader == adminParts.password,
            let value = given.values[ServerSetting.adminReadOnlyPassword.name]
        {
            throw value.failure("is the same as adminPassword: choose two different ones.")
        }
        return adminPort.map { port in
            var admin = adminParts
            admin.port = port
            return admin
        }
    }

    static func adminName(_ text: String, _ value: SettingValue) throws(CommandFailure) -> String {
        let isName =
            !text.isEmpty && text.utf8.count <= 253
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-.".contains($0)) }
        guard isName else { throw value.wrong("a list of host names without scheme and port, such as console.example.com") }
        return text.lowercased()
    }

    static func proxies(_ text: String, _ value: SettingValue) throws(CommandFailure) -> ProxyNetwork {
        guard let network = ProxyNetwork(text) else {
            throw value.wrong(
                "a list of addresses or networks of proxies, such as 127.0.0.1 or 10.0.0.0/8, and not of everybody")
        }
        return network
    }

    static func password(_ value: SettingValue) throws(CommandFailure) -> Secret {
        let text = try value.string()
        guard ConsolePasswords.lengths.contains(text.utf8.count) else {
            throw value.failure(
                "must have \(ConsolePasswords.lengths.lowerBound) to \(ConsolePasswords.lengths.upperBound) bytes.")
        }
        return Secret(text)
    }

    /// The reason why the admin port stays off; nil when it opens.
    var adminObstacle: String? {
        guard let admin, !admin.isLoopback, tls == nil, admin.proxies.isEmpty else { return nil }
        return
            "other machines can reach \(admin.host), and there is no TLS (tls.cert, tls.key, or a proxy's with adminTrustProxy)"
    }

    /// The server's configuration of the admin port; nil for none. Hashes passwords, which takes a moment, and may generate one.
    ///
    /// - Parameter terminal: prints a line on the terminal, which is not logged; nil without a terminal.
    func adminConfiguration(
        _ logger: Logger, terminal: ((String) -> Void)?
    ) throws(CommandFailure) -> AdminConfiguration? {
        guard let admin else { return nil }
        var configuration = AdminConfiguration(host: admin.host, port: admin.port)
        configuration.names = admin.names
        configuration.proxies = admin.proxies
        configuration.tellsPublicMetrics = admin.tellsPublicMetrics
        if adminObstacle == nil {
            configuration.passwords = try AdminPassword(admin: admin, directory: data).passwords(logger, terminal: terminal)
        }
        return configuration
    }
}
