import ArgumentParser

/// What `lifeline serve` can be told about its PubNub keyset.
struct ServePubNubOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The publish key of PubNub clients (default: demo).", valueName: "key"))
    var pubnubPublishKey: String?

    @Option(help: ArgumentHelp("The subscribe key of PubNub clients (default: demo).", valueName: "key"))
    var pubnubSubscribeKey: String?

    @Option(help: ArgumentHelp("The secret key that signs PubNub grants (default: demo-secret).", valueName: "key"))
    var pubnubSecret: String?

    @Flag(inversion: .prefixedNo, help: "Whether PubNub clients need grants (default: no).")
    var pubnubAccessManager: Bool?

    @Option(help: ArgumentHelp("How long a poll without messages is held, at most 300 (default: 280).", valueName: "seconds"))
    var pubnubPollHold: Int?

    @Option(
        help: ArgumentHelp("Up to so many users each join and leave is told by itself (default: 20).", valueName: "users"))
    var pubnubAnnounceMaximum: Int?

    @Option(help: ArgumentHelp("Above that, how often a sum is told (default: 10).", valueName: "seconds"))
    var pubnubPresenceInterval: Int?
}
