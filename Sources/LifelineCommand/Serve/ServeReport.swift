import LifelineServer

/// The report of `serve --check`: the configuration of a start, without secrets. Rule SO-5.
struct ServeReport {
    let settings: ServeSettings
    /// The highest limit of open files that this process can set; nil when it is not known.
    var openFiles: Int?
    /// How many days the certificate is still valid; nil without a certificate.
    var daysLeft: Int?

    init(settings: ServeSettings, openFiles: Int? = nil, daysLeft: Int? = nil) {
        self.settings = settings
        self.openFiles = openFiles
        self.daysLeft = daysLeft
    }

    /// Makes the report for settings that were read for a check, with facts that depend on this machine and the present time.
    init(checked settings: ServeSettings) {
        self.init(
            settings: settings, openFiles: OpenFileLimit.highest,
            daysLeft: settings.certificateEnd.map { ($0 - ServerClock.system.unixSeconds()) / 86_400 })
    }

    var lines: [String] {
        let scheme = settings.tls == nil ? "http" : "https"
        let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
        var lines = ["lifeline: valid \(scheme)://\(host):\(settings.port)\(settings.server.pathPrefix)"]
        for section in settings.sections {
            lines += section.isOn(settings) ? section.report(settings) : section.service.map { ["\($0.word): off"] } ?? []
        }
        let places = [settings.redis.map { "\($0)" }, settings.shownData].compactMap(\.self)
        let place = places.isEmpty ? nil : "kept in " + places.joined(separator: ", and what lasts in ")
        lines.append("messages: " + (place ?? "kept in memory"))
        if let admin = settings.admin { lines.append(line(admin)) }
        lines += settings.strayVariables.map { "warning: \($0.text)" }
        lines += settings.exposedFiles.map { "warning: \($0)" }
        if let daysLeft {
            lines.append(
                daysLeft < 0
                    ? "warning: the certificate has expired"
                    : "\(daysLeft < 14 ? "warning: the " : "")certificate is valid for \(daysLeft) days")
        }
        let needed = OpenFileLimit.needed(for: settings.server.maximumConnections)
        if let openFiles, openFiles < needed {
            lines.append(
                "connections: the limit of open files (\(openFiles)) is reached before maxConnections, which needs \(needed)")
        }
        if !settings.openServices.isEmpty {
            let names = settings.openServices.joined(separator: ", ")
            lines.append("warning: other machines can reach this server, but its development credentials are public (\(names))")
        }
        return lines
    }

    private func line(_ admin: AdminSettings) -> String {
        if let obstacle = settings.adminObstacle { return "warning: the admin port would be off: \(obstacle)" }
        let isBehindProxy = !admin.isLoopback && settings.tls == nil
        let host = admin.names.first ?? (admin.host.contains(":") ? "[\(admin.host)]" : admin.host)
        let password = admin.password == nil ? "a password that is made at the first start in a terminal" : "a password"
        return
            "console: \(admin.isLoopback ? "http" : "https")://\(host)\(isBehindProxy ? "" : ":\(admin.port)")/console with \(password)"
            + (admin.readOnlyPassword == nil ? "" : " and a read-only one")
            + (isBehindProxy ? ", through a proxy that ends TLS" : "")
            + (admin.tellsPublicMetrics ? "" : "; /metrics is on this port only")
    }
}
