/// A chat application and its settings.
public struct ChatApplication: Hashable, Sendable {
    /// The application's key.
    public var key: String
    /// The application's secret, which signs requests of its servers.
    public var secret: Secret
    /// The secret before this one, while both are valid: calls signed with it are accepted, and nothing is signed with it. Nil for
    /// none (rule SO-80).
    public var previousSecret: Secret?
    /// A disabled application refuses sessions and calls.
    public var isEnabled: Bool
    /// The limits of the application.
    public var limits: ChatLimits
    /// Whether users' own messages are in their inboxes too, and new devices get all that inboxes keep.
    public var syncsDevices: Bool
    /// Whether entering an open channel that does not exist creates it.
    public var createsOpenChannels: Bool
    /// Whether a user may be in several open channels at a time.
    public var allowsManyOpenChannels: Bool
    /// Whether only the sender may recall a message.
    public var recallsOwnOnly: Bool
    /// Whether users may subscribe to the online status of others.
    public var hasPresence: Bool
    /// Nil for tokens that do not expire by themselves.
    public var tokenLifetime: Duration?
    /// The address for events; nil for no webhooks.
    public var webhook: String?

    /// Makes a value with these properties.
    public init(
        key: String, secret: Secret, previousSecret: Secret? = nil, isEnabled: Bool = true, limits: ChatLimits = .init(),
        syncsDevices: Bool = false, createsOpenChannels: Bool = true, allowsManyOpenChannels: Bool = true,
        recallsOwnOnly: Bool = false, hasPresence: Bool = true, tokenLifetime: Duration? = nil, webhook: String? = nil
    ) {
        self.key = key
        self.secret = secret
        self.previousSecret = previousSecret
        self.isEnabled = isEnabled
        self.limits = limits
        self.syncsDevices = syncsDevices
        self.createsOpenChannels = createsOpenChannels
        self.allowsManyOpenChannels = allowsManyOpenChannels
        self.recallsOwnOnly = recallsOwnOnly
        self.hasPresence = hasPresence
        self.tokenLifetime = tokenLifetime
        self.webhook = webhook
    }

    /// All secrets that are valid, the one that signs first.
    public var validSecrets: [Secret] { Secret.valid(secret, previousSecret) }

    /// The application that `lifeline serve` has without configuration.
    public static let development = ChatApplication(key: "app-key", secret: Secret("app-secret"))
}

/// Limits of a chat application. Sizes are bytes. The vendor's own figures where it publishes them.
public struct ChatLimits: Hashable, Sendable {
    /// Messages a second that one session may send. The vendor allows 5; the default only keeps a client from harming others.
    public var sendsPerSecond: Int = 1_000
    /// Requests a second of one session that change something else: groups, open channels, receipts, settings.
    public var changesPerSecond: Int = 500
    /// Requests a second of one session that only read.
    public var queriesPerSecond: Int = 1_000
    /// The content of a message in bytes.
    public var contentBytes: Int = 131_072
    /// Registered users of the application.
    public var users: Int = 1_000_000
    /// A user's name, avatar and other values together.
    public var userBytes: Int = 65_536
    /// Inboxes of ids that no registered user has.
    public var unregisteredInboxes: Int = 100_000
    /// Of these, inboxes to which one user was the first to write.
    public var unregisteredInboxesPerUser: Int = 1_000
    /// Groups of the application.
    public var groups: Int = 100_000
    /// Groups that a user is in by requests of sessions; the application's server may put users in more.
    public var groupsPerUser: Int = 1_000
    /// Groups that exist and that one user has created by requests of sessions.
    public var groupsMadePerUser: Int = 1_000
    /// All texts of a group together.
    public var groupBytes: Int = 32_768
    /// Open channels of the application.
    public var openChannels: Int = 10_000
    /// Open channels that exist and that one user has made by entering.
    public var openChannelsMadePerUser: Int = 100
    /// Open channels that a user is in.
    public var openChannelsPerUser: Int = 1_000
    /// All pairs of an open channel together.
    public var openEntryBytes: Int = 65_536
    /// Members of a group.
    public var groupMembers: Int = 3_000
    /// Managers of a group.
    public var groupAdmins: Int = 10
    /// Connections at the same time.
    public var connections: Int = 100_000
    /// For each device class of a user.
    public var devicesPerClass: Int = 1
    /// Pairs of an open channel's metadata.
    public var openEntries: Int = 100
    /// Messages that are delivered on entering an open channel.
    public var openHistory: Int = 50
    /// Users of one request for online status.
    public var presencePerCall: Int = 200
    /// Subscriptions of one user.
    public var presencePerUser: Int = 1_000
    /// Subscribers of one user.
    public var presenceSubscribers: Int = 5_000
    /// How long messages wait for a user who is away.
    public var inboxRetention: Duration = .seconds(7 * 86_400)
    /// How long histories keep messages: half a year, as the vendor does. Never less than inboxes.
    public var historyRetention: Duration = .seconds(180 * 86_400)
    /// How many minutes after sending a message can be edited.
    public var modifiableMinutes: Int = 1_440
    /// How long a user who lost the connection stays in an open channel.
    public var openGrace: Duration = .seconds(30)
    /// How long a user may be away before others see it.
    public var presenceGrace: Duration = .seconds(3)
    /// Calls a second to one address of the server API; tokens have twice as many.
    public var callsPerSecond: Int = 100

    /// Limits with default values.
    public init() {}
}
