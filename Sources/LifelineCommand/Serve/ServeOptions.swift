import ArgumentParser

/// All settings of a server that can be given as options. Shared by `serve` and `config`.
struct ServeOptions: ParsableArguments {
    @OptionGroup(title: "Configuration") var base: ServeBaseOptions

    @OptionGroup(title: "Address and TLS") var address: ServeAddressOptions

    @OptionGroup(title: "App") var app: ServeAppOptions

    @OptionGroup(title: "PubNub") var pubnub: ServePubNubOptions

    @OptionGroup(title: "Chat") var nexconn: ServeNexconnOptions

    @OptionGroup(title: "Several servers") var redis: ServeRedisOptions

    @OptionGroup(title: "Bridge") var bridging: ServeBridgeOptions

    @OptionGroup(title: "Connections") var server: ServeServerOptions

    @OptionGroup(title: "Console") var admin: ServeAdminOptions

    @OptionGroup(title: "Log and traces") var log: ServeLogOptions
}

/// What runs, and where its settings and messages are.
struct ServeBaseOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A JSON file with settings; also LIFELINE_CONFIG.", valueName: "file"), completion: .file())
    var config: String?

    @Option(
        help: ArgumentHelp(
            "The services that run, separated by commas: pusher, pubnub, chat (default: all).", valueName: "names"))
    var services: String?

    @Option(
        help: ArgumentHelp("Stores messages in this directory, which is created if it does not exist.", valueName: "directory"),
        completion: .directory)
    var data: String?
}

/// Where a server listens.
struct ServeAddressOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The address to listen on; 0.0.0.0 for all (default: 127.0.0.1).", valueName: "address"))
    var host: String?

    @Option(help: "The port; 0 picks a free one (default: 6001).")
    var port: String?

    @Option(help: ArgumentHelp("A certificate chain (PEM) for TLS.", valueName: "file"), completion: .file())
    var tlsCert: String?

    @Option(help: ArgumentHelp("The certificate's private key (PEM).", valueName: "file"), completion: .file())
    var tlsKey: String?
}

/// Whether channels are shared by all services.
struct ServeBridgeOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: "Whether public channels with the same name are one channel in Pusher, PubNub and chat (default: no).")
    var bridge: Bool?

    @Flag(
        inversion: .prefixedNo,
        help:
            "Whether to allow a bridge although it gives everybody access to channels that PubNub's access manager protects (default: no)."
    )
    var bridgeIgnoresAccessManager: Bool?
}

/// What the server logs.
struct ServeLogOptions: ParsableArguments {
    @Option(help: "The least level that is logged: trace, debug, info, notice, warning, error or critical (default: notice).")
    var logLevel: String?

    @Option(help: ArgumentHelp("The format of the log: text or json (default: text).", valueName: "format"))
    var logFormat: String?

    @Option(
        help: ArgumentHelp(
            "A collector that gets spans of requests with a sampled traceparent, over OTLP in JSON (default: none).",
            valueName: "url"))
    var tracesEndpoint: String?
}
