import ArgumentParser

/// The options of `lifeline serve` for the admin port. Passwords can be set only in the file and in variables, because other users of the
/// machine can see options.
struct ServeAdminOptions: ParsableArguments {
    @Option(help: ServerSetting.adminPort.help)
    var adminPort: String?

    @Option(help: ServerSetting.adminHost.help)
    var adminHost: String?

    @Option(help: ServerSetting.adminNames.help)
    var adminName: [String] = []

    @Option(help: ServerSetting.adminTrustProxy.help)
    var adminTrustProxy: [String] = []

    @Flag(inversion: .prefixedNo, help: ServerSetting.publicMetrics.help)
    var publicMetrics: Bool?
}
