import ArgumentParser

/// The options of `lifeline serve` for connections and proxies. The file and the environment variables have more settings.
struct ServeServerOptions: ParsableArguments {
    @Option(help: ServerSetting.pathPrefix.help)
    var pathPrefix: String?

    @Flag(inversion: .prefixedNo, help: ServerSetting.trustProxyHeaders.help)
    var trustProxyHeaders: Bool?

    @Option(help: ServerSetting.corsOrigins.help)
    var corsOrigin: [String] = []

    @Option(help: ServerSetting.maxConnections.help)
    var maxConnections: String?

    @Option(help: ServerSetting.maxConnectionsPerAddress.help)
    var maxConnectionsPerAddress: String?

    @Option(help: ServerSetting.connectionRatePerAddress.help)
    var connectionRatePerAddress: String?

    @Flag(inversion: .prefixedNo, help: ServerSetting.limitLoopback.help)
    var limitLoopback: Bool?

    @Flag(inversion: .prefixedNo, help: ServerSetting.reusePort.help)
    var reusePort: Bool?

    @Flag(inversion: .prefixedNo, help: ServerSetting.allowPublicSecrets.help)
    var allowPublicSecrets: Bool?

    @Option(help: ServerSetting.threads.help)
    var threads: String?

    @Option(help: ServerSetting.activityTimeout.help)
    var activityTimeout: String?
}
