import ArgumentParser

/// All settings of a server that can be given as options. Shared by `serve` and `config`.
struct ServeOptions: ParsableArguments, ServeOptionGroups {
    @OptionGroup(title: "Configuration") var base: ServeBaseOptions
    @OptionGroup(title: "Address and TLS") var address: ServeAddressOptions
    @OptionGroup(title: "App") var app: ServeAppOptions
    @OptionGroup(title: "PubNub") var pubnub: ServePubNubOptions
    @OptionGroup(title: "Chat") var nexconn: ServeChatOptions
    @OptionGroup(title: "Several servers") var redis: ServeRedisOptions
    @OptionGroup(title: "Bridge") var bridging: ServeBridgeOptions
    @OptionGroup(title: "Connections") var server: ServeServerOptions
    @OptionGroup(title: "Console") var admin: ServeAdminOptions
    @OptionGroup(title: "Log and traces") var log: ServeLogOptions
}

/// The groups of options for the settings of a server.
///
/// The commands have these groups themselves, instead of one group of type ``ServeOptions``: with each level of groups, debug builds of
/// ArgumentParser take about four times as long to start a command, because they check the groups of a level once for each check of the
/// level above.
protocol ServeOptionGroups {
    var base: ServeBaseOptions { get }
    var address: ServeAddressOptions { get }
    var app: ServeAppOptions { get }
    var pubnub: ServePubNubOptions { get }
    var nexconn: ServeChatOptions { get }
    var redis: ServeRedisOptions { get }
    var bridging: ServeBridgeOptions { get }
    var server: ServeServerOptions { get }
    var admin: ServeAdminOptions { get }
    var log: ServeLogOptions { get }
}

extension ServeOptionGroups {
    /// The options of all groups as one value.
    var options: ServeOptions {
        var options = ServeOptions()
        options.base = base
        options.address = address
        options.app = app
        options.pubnub = pubnub
        options.nexconn = nexconn
        options.redis = redis
        options.bridging = bridging
        options.server = server
        options.admin = admin
        options.log = log
        return options
    }
}

/// The options for the configuration file, the services that run, and the directories of data.
struct ServeBaseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A JSON file with the settings of the server; also LIFELINE_CONFIG.", valueName: "file"),
        completion: .file())
    var config: String?

    @Option(help: ServerSetting.services.help)
    var services: String?

    @Option(help: ServerSetting.data.help, completion: .directory)
    var data: String?

    @Option(help: ServerSetting.dataFiles.help, completion: .directory)
    var dataFiles: String?
}

/// Options for the address on which a server listens.
struct ServeAddressOptions: ParsableArguments {
    @Option(help: ServerSetting.host.help)
    var host: String?

    @Option(help: ServerSetting.port.help)
    var port: String?

    @Option(help: ServerSetting.tlsCertificate.help, completion: .file())
    var tlsCert: String?

    @Option(help: ServerSetting.tlsKey.help, completion: .file())
    var tlsKey: String?
}

/// The options for sharing channels between all services.
struct ServeBridgeOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: ServerSetting.bridge.help)
    var bridge: Bool?

    @Flag(inversion: .prefixedNo, help: ServerSetting.bridgeIgnoresAccessManager.help)
    var bridgeIgnoresAccessManager: Bool?
}

/// Options for the server's log.
struct ServeLogOptions: ParsableArguments {
    @Option(help: ServerSetting.logLevel.help)
    var logLevel: String?

    @Option(help: ServerSetting.logFormat.help)
    var logFormat: String?

    @Option(help: ServerSetting.tracesEndpoint.help)
    var tracesEndpoint: String?
}
