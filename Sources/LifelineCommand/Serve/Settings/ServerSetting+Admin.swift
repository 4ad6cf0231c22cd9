import ServerStorage

// Settings of TLS, and of the admin port with its console. Passwords have no options, because other users of the machine can see options.
extension ServerSetting {
    static let tlsCertificate = text(
        "tls.cert", \.tlsParts.certificate, option: .text(\.address.tlsCert, "file"), isConfidential: true,
        "A certificate chain (PEM) for TLS"
    )
    .more("Needs the key as well")

    /// The value is confidential, because users may write the key itself instead of its path.
    static let tlsKey = text(
        "tls.key", \.tlsParts.key, option: .text(\.address.tlsKey, "file"), isConfidential: true,
        "The certificate's private key (PEM)"
    )
    .more("Needs the certificate as well")

    static let tlsCheckInterval = seconds(
        "tls.checkInterval", \.tlsParts.checkInterval, in: 0...86_400, note: "never",
        "How often the server looks whether these files have changed")

    static let adminPort = integer(
        "adminPort", \.adminPort, in: 0...65_535, used: { $0.admin?.port }, option: .text(\.admin.adminPort, "port"),
        "A port for the console in a browser (/console) and for /metrics; 0 picks a free one"
    )
    .more("See docs/console.md")

    static let adminHost = ServerSetting(
        name: "adminHost",
        meaning: "The address of the admin port; other machines reach it over TLS only, the server's or a proxy's",
        option: .text(\.admin.adminHost, "address"),
        set: { value, settings throws(CommandFailure) in settings.adminParts.host = try ServeSettings.host(value) },
        shown: { .string($0.adminParts.host) })

    static let adminNames = ServerSetting(
        name: "adminNames",
        meaning: "A host name under which the console may be opened, in addition to addresses and localhost; may be repeated",
        option: .repeated(\.admin.adminName, name: "--admin-name", "name"), unset: .nothing,
        set: { value, settings throws(CommandFailure) in
            settings.adminParts.names = try value.strings().map { text throws(CommandFailure) in
                try ServeSettings.adminName(text, value)
            }
        },
        shown: { .strings($0.adminParts.names) })

    static let adminTrustProxy = ServerSetting(
        name: "adminTrustProxy",
        meaning:
            "An address or a network of proxies that end TLS in front of the admin port, such as 10.0.0.0/8; may be repeated",
        option: .repeated(\.admin.adminTrustProxy, name: "--admin-trust-proxy", "network"), unset: .nothing,
        set: { value, settings throws(CommandFailure) in
            settings.adminParts.proxies = try value.strings().map { text throws(CommandFailure) in
                try ServeSettings.proxies(text, value)
            }
        },
        shown: { .strings($0.adminParts.proxies.map(\.description)) })

    static let adminPassword = password(
        "adminPassword", \.adminParts.password, unset: .words("made at the first start"),
        "The console's password with all rights; 12 to 1024 bytes")

    static let adminReadOnlyPassword = password(
        "adminReadOnlyPassword", \.adminParts.readOnlyPassword, unset: .nothing,
        "A password for the console with which nothing can be changed; 12 to 1024 bytes")

    static let publicMetrics = truth(
        "publicMetrics", \.adminParts.tellsPublicMetrics, option: .flag(\.admin.publicMetrics),
        "Whether the public port still answers /metrics when there is an admin port")

    static let applicationsKey = ServerSetting(
        name: "applicationsKey",
        meaning: "A key with which applications made at run time are encrypted where they are kept; 32 to 1024 bytes",
        isConfidential: true, unset: .nothing,
        set: { value, settings throws(CommandFailure) in
            settings.applicationsKey = try ServeSettings.applicationsKey(value)
        },
        shown: { .secret($0.applicationsKey) }
    )
    .more("Without it their secrets are readable for whoever can read the data directory or Redis")

    static let maxApplications = integer(
        "maxApplications", \.maxApplications, in: 0...100_000, "Applications that may be made at run time"
    )
    .more("See docs/operations/applications.md")

    private static func password(
        _ name: String, _ field: any WritableKeyPath<ServeSettings, Secret?> & Sendable, unset: UnsetValue, _ meaning: String
    ) -> ServerSetting {
        .init(
            name: name, meaning: meaning, isConfidential: true, unset: unset,
            set: { value, settings throws(CommandFailure) in
                settings[keyPath: field] = try ServeSettings.password(value)
            },
            shown: { .secret($0[keyPath: field]) })
    }
}
