import ArgumentParser

/// The options of `lifeline serve` for a single chat application.
struct ServeNexconnOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The app key of chat clients (default: app-key).", valueName: "key"))
    var nexconnKey: String?

    @Option(help: ArgumentHelp("The secret that signs the server API (default: app-secret).", valueName: "key"))
    var nexconnSecret: String?

    @Option(
        help: ArgumentHelp(
            "An old secret that is accepted as well, while the secret is being changed (default: none).", valueName: "key"))
    var nexconnPreviousSecret: String?

    @Flag(inversion: .prefixedNo, help: "Whether messages are sent to all devices of a user (default: no).")
    var nexconnSyncDevices: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether users may see who is online (default: yes).")
    var nexconnPresence: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether only its sender may recall a message (default: no).")
    var nexconnOwnRecalls: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether entering an open channel that does not exist creates it (default: yes).")
    var nexconnCreateOpenChannels: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether a user may be in several open channels at a time (default: yes).")
    var nexconnManyOpenChannels: Bool?

    @Option(help: ArgumentHelp("Messages per second that a client may send (default: 1000).", valueName: "messages"))
    var nexconnSendRate: String?

    @Option(help: ArgumentHelp("Devices of each class that a user may have connected (default: 1).", valueName: "devices"))
    var nexconnDevices: String?

    @Option(
        help: ArgumentHelp(
            "How long a user whose connection was lost stays in open channels (default: 30).", valueName: "seconds"))
    var nexconnOpenGrace: String?

    @Option(help: ArgumentHelp("How long tokens are valid (default: without end).", valueName: "seconds"))
    var nexconnTokenLifetime: String?

    @Option(help: ArgumentHelp("Posts messages and online status to this address (default: nowhere).", valueName: "url"))
    var nexconnWebhook: String?

    /// The options that were given, by the names of their settings.
    var given: [(name: String, option: String, text: String)] {
        let texts: [(String, String, String?)] = [
            ("key", "--nexconn-key", nexconnKey),
            ("secret", "--nexconn-secret", nexconnSecret),
            ("previousSecret", "--nexconn-previous-secret", nexconnPreviousSecret),
            ("syncDevices", "--nexconn-sync-devices", nexconnSyncDevices.map { "\($0)" }),
            ("presence", "--nexconn-presence", nexconnPresence.map { "\($0)" }),
            ("ownRecalls", "--nexconn-own-recalls", nexconnOwnRecalls.map { "\($0)" }),
            ("createOpenChannels", "--nexconn-create-open-channels", nexconnCreateOpenChannels.map { "\($0)" }),
            ("manyOpenChannels", "--nexconn-many-open-channels", nexconnManyOpenChannels.map { "\($0)" }),
            ("sendRate", "--nexconn-send-rate", nexconnSendRate),
            ("devices", "--nexconn-devices", nexconnDevices),
            ("openGrace", "--nexconn-open-grace", nexconnOpenGrace),
            ("tokenLifetime", "--nexconn-token-lifetime", nexconnTokenLifetime),
            ("webhook", "--nexconn-webhook", nexconnWebhook),
        ]
        return texts.compactMap { name, option, text in text.map { (name, option, $0) } }
    }
}
