import ArgumentParser

/// The service that `doctor` tests.
struct DoctorServiceOptions: ParsableArguments {
    @Option(help: "The service that runs at the tested address.")
    var service = ServiceKind.pusher

    @Option(help: "A cluster of Pusher's own servers, such as eu, instead of a URL.")
    var cluster: String?

    @Option(
        help: ArgumentHelp(
            "A configuration file of the server, from which keys and secret are read. Also LIFELINE_CONFIG.",
            valueName: "file"), completion: .file())
    var config: String?

    @Option(help: "The app's key (Pusher) or the subscribe key (PubNub); default: from the configuration, else app-key or demo.")
    var key: String?

    @Option(help: "PubNub's publish key (default: from the configuration, else demo).")
    var publishKey: String?

    @Option(help: "The app's id in the HTTP API (default: from the configuration, else 1001).")
    var appID: String?

    @Option(help: "The channel for the test message (default: lifeline-doctor).")
    var channel: String?
}

/// The user as whom `doctor` connects.
struct DoctorUserOptions: ParsableArguments {
    @Option(
        help:
            "The app's secret; for PubNub it signs every request. The shell stores it in its history: prefer --config, --secret-file, or LIFELINE_APP_SECRET, LIFELINE_PUBNUB_SECRET and LIFELINE_NEXCONN_SECRET."
    )
    var secret: String?

    @Option(
        help: ArgumentHelp(
            "A file that contains the app's secret, and nothing else; - for the first line of standard input.", valueName: "file"),
        completion: .file())
    var secretFile: String?

    @Option(help: "The access token of PubNub or chat.")
    var token: String?

    @Option(help: "The user for whom a token is issued (chat; default: lifeline-doctor).")
    var user: String?
}

/// The Redis, one or several, that `doctor` tests instead of a service.
struct DoctorRedisOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Tests this Redis instead of a service: redis[s]://[USER:PASSWORD@]HOST:PORT; may be repeated.", valueName: "url"))
    var redis: [String] = []

    @Option(help: ArgumentHelp("The prefix of all keys in Redis (default: lifeline).", valueName: "prefix"))
    var redisPrefix: String?
}

/// The data store that `doctor` tests instead of a service.
struct DoctorDataOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Tests this data store instead of a service: postgres://USER@HOST:PORT/DATABASE, or a directory.", valueName: "store")
    )
    var data: String?

    @Option(help: ArgumentHelp("A file with the password of the database.", valueName: "file"), completion: .file())
    var dataPasswordFile: String?
}

/// How `doctor` reaches the service.
struct DoctorNetworkOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Connects through this proxy: http://[USER:PASSWORD@]HOST:PORT.", valueName: "url"))
    var proxy: String?

    @Option(
        help: ArgumentHelp("Trusts these certificate authorities (PEM) instead of the system's.", valueName: "file"),
        completion: .file())
    var ca: String?

    @Option(help: ArgumentHelp("The time limit of each step.", valueName: "seconds"))
    var timeout = 10.0
}
