import ArgumentParser

/// The options of `lifeline serve` for a single Pusher application. The file and the environment variables have more settings.
struct ServeAppOptions: ParsableArguments {
    @Option(help: ApplicationSetting.fields.help("id"))
    var appID: String?

    @Option(help: ApplicationSetting.fields.help("key"))
    var key: String?

    @Option(help: ApplicationSetting.fields.help("secret"))
    var secret: String?

    @Option(help: ApplicationSetting.fields.help("previousSecret"))
    var previousSecret: String?

    @Flag(inversion: .prefixedNo, help: ApplicationSetting.fields.help("clientEvents"))
    var clientEvents: Bool?

    @Flag(inversion: .prefixedNo, help: ApplicationSetting.fields.help("subscriptionCounts"))
    var subscriptionCounts: Bool?

    @Option(help: ApplicationSetting.fields.help("allowedOrigins"))
    var allowedOrigin: [String] = []

    @Option(help: ApplicationSetting.fields.help("webhooks"))
    var webhook: [String] = []
}
