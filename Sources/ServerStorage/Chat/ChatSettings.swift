/// A chat application and its settings.
public struct ChatApplication: Hashable, Sendable {
    /// The application's key.
    public var key: String
    /// The application's secret, which signs requests of its servers.
    public var secret: Secret
    /// The previous secret, while both are valid: calls signed with it are accepted, but it signs nothing. Nil for none (rule
    /// SO-80).
    public var previousSecret: Secret?
    /// A disabled application refuses sessions and calls.
    public var isEnabled: Bool
    /// The limits of the application.
    public var limits: ChatLimits
    /// Whether a user's own messages are also in the user's inbox, and new devices get all entries of the inbox.
    public var syncsDevices: Bool
    /// Whether entering an open channel that does not exist creates it.
    public var createsOpenChannels: Bool
    /// Whether a user may be in several open channels at the same time.
    public var allowsManyOpenChannels: Bool
    /// Whether only the sender may recall a message.
    public var recallsOwnOnly: Bool
    /// Whether users may subscribe to the online status of others.
    public var hasPresence: Bool
    /// How long tokens are valid; nil when they do not expire by themselves.
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

/// Limits of a chat application. Sizes are in bytes. The values are the vendor's where it publishes them.
public struct ChatLimits: Hashable, Sendable {
    /// Messages per second of one session. The vendor allows 5; the default only keeps a client from harming others.
    public var sendsPerSecond: Int = 1_000
    /// Requests per second of one session that make other changes: groups, open channels, receipts, settings.
    public var changesPerSecond: Int = 500
    /// Requests per second of one session that only read.
    public var queriesPerSecond: Int = 1_000
    /// The largest size of a message's content in bytes.
    public var contentBytes: Int = 131_072
    /// The largest number of registered users of the application.
    public var users: Int = 1_000_000
    /// The largest size of a user's name, avatar and other values together.
    public var userBytes: Int = 65_536
    /// The largest number of inboxes for ids without a registered user.
    public var unregisteredInboxes: Int = 100_000
    /// The largest number of these inboxes that one user may create by being the first to write to them.
    public var unregisteredInboxesPerUser: Int = 1_000
    /// The largest number of groups of the application.
    public var groups: Int = 100_000
    /// The largest number of groups that a user is in by requests of sessions; the application's server may add users to more.
    public var groupsPerUser: Int = 1_000
    /// The largest number of existing groups that one user has created by requests of sessions.
    public var groupsMadePerUser: Int = 1_000
    /// The largest size of all texts of a group together.
    public var groupBytes: Int = 32_768
    /// The largest number of open channels of the application.
    public var openChannels: Int = 10_000
    /// The largest number of existing open channels that one user has created by entering.
    public var openChannelsMadePerUser: Int = 100
    /// The largest number of open channels that a user is in.
    public var openChannelsPerUser: Int = 1_000
    /// The largest size of all metadata entries of an open channel together.
    public var openEntryBytes: Int = 65_536
    /// The largest number of members of a group.
    public var groupMembers: Int = 3_000
    /// The largest number of admins of a group.
    public var groupAdmins: Int = 10
    /// The largest number of simultaneous connections.
    public var connections: Int = 100_000
    /// The largest number of a user's sessions for each device class.
    public var devicesPerClass: Int = 1
    /// The largest number of metadata entries of an open channel.
    public var openEntries: Int = 100
    /// The largest number of messages that are delivered when a user enters an open channel.
    public var openHistory: Int = 50
    /// The largest number of users in one request for online status.
    public var presencePerCall: Int = 200
    /// The largest number of online status subscriptions of one user.
    public var presencePerUser: Int = 1_000
    /// The largest number of subscribers to the online status of one user.
    public var presenceSubscribers: Int = 5_000
    /// How long messages are kept in the inbox of an offline user.
    public var inboxRetention: Duration = .seconds(7 * 86_400)
    /// How long histories keep messages: half a year, like in the vendor's service. Never shorter than inboxes.
    public var historyRetention: Duration = .seconds(180 * 86_400)
    /// The largest number of messages in all histories of the application together; nil for no limit. The oldest are removed from
    /// histories, within seconds; inboxes keep them for ``inboxRetention``.
    public var historyMessages: Int?
    /// The largest size of these messages in bytes, as clients get them; nil for no limit. Otherwise as ``historyMessages``.
    public var historyBytes: Int?
    /// How many minutes after sending a message can be edited.
    public var modifiableMinutes: Int = 1_440
    /// How long a user who lost the connection stays in an open channel.
    public var openGrace: Duration = .seconds(30)
    /// How long a user may be offline before other users are notified.
    public var presenceGrace: Duration = .seconds(3)
    /// Calls per second to one path of the server API; issuing tokens has twice as many.
    public var callsPerSecond: Int = 100

    /// Limits with default values.
    public init() {}
}
