import ArgumentParser

/// The options that select the service, its address and the application.
struct ServicePlaceOptions: ParsableArguments {
    @Option(help: "The service to connect to.")
    var service = ServiceKind.pusher

    @Option(
        help:
            "The service's address: http, https, ws or wss, host and port (default: from the configuration, else http://127.0.0.1:6001)."
    )
    var url: String?

    @Option(help: "The address of the HTTP API, if it differs from --url (Pusher).")
    var apiURL: String?

    @Option(
        help: ArgumentHelp(
            "A configuration file of the server, from which address, keys and secret are read. Also LIFELINE_CONFIG.",
            valueName: "file"), completion: .file())
    var config: String?

    @Option(help: "The app's key (Pusher) or the subscribe key (PubNub); default: from the configuration, else app-key or demo.")
    var key: String?

    @Option(help: "PubNub's publish key (default: from the configuration, else demo).")
    var publishKey: String?

    @Option(help: "The app's id in Pusher's HTTP API (default: from the configuration, else 1001).")
    var appID: String?
}

/// The options for the user as whom a command connects.
struct ServiceUserOptions: ParsableArguments {
    @Option(
        help:
            "The app's secret, which signs subscriptions and messages (Pusher), every request (PubNub), or the request for a token (chat). The shell stores it in its history, and other users of this machine can see it: prefer --config, --secret-file, or LIFELINE_APP_SECRET, LIFELINE_PUBNUB_SECRET and LIFELINE_NEXCONN_SECRET."
    )
    var secret: String?

    @Option(
        help: ArgumentHelp(
            "A file that contains the app's secret, and nothing else; - for the first line of standard input.", valueName: "file"),
        completion: .file())
    var secretFile: String?

    @Option(help: "The URL of an endpoint that authorises subscriptions, instead of --secret.")
    var authEndpoint: String?

    @Option(help: "The id of the user (default: the value of --name).")
    var user: String?

    @Option(help: "PubNub's access token or auth key, or chat's access token, which determines the user.")
    var token: String?

    @Option(
        help:
            "The class of this device. A user can have one connected device of each class (chat; default: desktop; web for commands that end at once)."
    )
    var deviceClass: DeviceClassName?

    @Flag(
        help:
            "Signs the user of --user in, to receive events on #server-to-user-USER and the online status of the users of --watch. Needs --secret (Pusher)."
    )
    var signIn = false

    @Option(help: ArgumentHelp("A user whose online status is reported; may be repeated. Needs --sign-in.", valueName: "user"))
    var watch: [String] = []

    @Option(help: "The URL of an endpoint that authenticates the user, instead of --secret (Pusher).")
    var userEndpoint: String?

    @Option(help: "A name for this client, printed in every line.")
    var name: String?
}

/// The options for end-to-end encryption of messages.
struct ServiceEncryptionOptions: ParsableArguments {
    @Option(help: "Encrypts messages that are sent and decrypts messages that arrive (PubNub).")
    var cipherKey: String?

    @Option(
        help: "The key of channels that begin with private-encrypted-: 32 bytes in base64; needs --secret (Pusher).")
    var encryptionKey: String?

    @Flag(help: "Refuses channels whose messages the service can read.")
    var requireEncryption = false
}

/// The options for the connection to the service.
struct ServiceNetworkOptions: ParsableArguments {
    @Option(help: "How soon connection losses are detected, and how soon the client reconnects.")
    var timing = TimingName.default

    @Option(
        help: ArgumentHelp("Trusts these certificate authorities (PEM) instead of the system's.", valueName: "file"),
        completion: .file())
    var ca: String?

    @Option(
        help: ArgumentHelp("A hash of a public key that the server must present, sha256/…; may be repeated.", valueName: "pin"))
    var pin: [String] = []

    @Option(help: ArgumentHelp("Connects through this proxy: http://[USER:PASSWORD@]HOST:PORT.", valueName: "url"))
    var proxy: String?

    @Option(
        help: ArgumentHelp("A header field for all requests to the service, 'Name: value'; may be repeated.", valueName: "field"))
    var header: [String] = []

    @Flag(help: "Does not ask a Pusher server to replay events that were missed while the connection was lost.")
    var noRecovery = false
}

/// The groups of options in ``ServiceOptions``. A command declares these groups itself instead of one group ``ServiceOptions``, because
/// nested groups are slow in debug builds (see ``ServeOptionGroups``).
protocol ServiceOptionGroups {
    var place: ServicePlaceOptions { get set }
    var identity: ServiceUserOptions { get set }
    var encryption: ServiceEncryptionOptions { get set }
    var network: ServiceNetworkOptions { get set }
}

extension ServiceOptionGroups {
    /// The options of all groups as one value.
    var service: ServiceOptions {
        get {
            var options = ServiceOptions()
            options.place = place
            options.identity = identity
            options.encryption = encryption
            options.network = network
            return options
        }
        set {
            place = newValue.place
            identity = newValue.identity
            encryption = newValue.encryption
            network = newValue.network
        }
    }
}

// Short names for the options of all groups.
extension ServiceOptions {
    var service: ServiceKind { place.service }
    /// The service's address. The address in the configuration is used only after ``resolved(environment:)``.
    var url: String { place.url ?? CredentialSources.usualAddress }
    var apiURL: String? { place.apiURL }
    var key: String? { place.key }
    var publishKey: String? { place.publishKey }
    var appID: String { place.appID ?? "1001" }
    var secret: String? { identity.secret }
    var authEndpoint: String? { identity.authEndpoint }
    var user: String? { identity.user }
    var token: String? { identity.token }
    var deviceClass: DeviceClassName? { identity.deviceClass }
    var signIn: Bool { identity.signIn }
    var watch: [String] { identity.watch }
    var userEndpoint: String? { identity.userEndpoint }
    var name: String? { identity.name }
    var cipherKey: String? { encryption.cipherKey }
    var encryptionKey: String? { encryption.encryptionKey }
    var requireEncryption: Bool { encryption.requireEncryption }
    var timing: TimingName { network.timing }
    var ca: String? { network.ca }
    var pin: [String] { network.pin }
    var proxy: String? { network.proxy }
    var header: [String] { network.header }
    var noRecovery: Bool { network.noRecovery }
}
