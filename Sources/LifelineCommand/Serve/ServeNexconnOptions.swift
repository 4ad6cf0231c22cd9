import ArgumentParser

/// What `lifeline serve` can be told about its chat application.
struct ServeNexconnOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The app key of chat clients (default: app-key).", valueName: "key"))
    var nexconnKey: String?

    @Option(help: ArgumentHelp("The secret that signs the server API (default: app-secret).", valueName: "key"))
    var nexconnSecret: String?

    @Flag(inversion: .prefixedNo, help: "Whether all devices of a user get everything (default: no).")
    var nexconnSyncDevices: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether users may learn who is online (default: yes).")
    var nexconnPresence: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether only the sender may recall a message (default: no).")
    var nexconnOwnRecalls: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether entering an open channel that is not there makes it (default: yes).")
    var nexconnCreateOpenChannels: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether a user may be in several open channels at a time (default: yes).")
    var nexconnManyOpenChannels: Bool?

    @Option(help: ArgumentHelp("Messages a second that a client may send (default: 1000).", valueName: "messages"))
    var nexconnSendRate: Int?

    @Option(help: ArgumentHelp("Devices of each class that a user may have connected (default: 1).", valueName: "devices"))
    var nexconnDevices: Int?

    @Option(help: ArgumentHelp("How long a lost connection stays in open channels (default: 30).", valueName: "seconds"))
    var nexconnOpenGrace: Int?

    @Option(help: ArgumentHelp("How long tokens are valid (default: for ever).", valueName: "seconds"))
    var nexconnTokenLifetime: Int?

    @Option(help: ArgumentHelp("Posts messages and online status to this address (default: nowhere).", valueName: "url"))
    var nexconnWebhook: String?
}
