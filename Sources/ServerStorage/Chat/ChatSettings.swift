/// A chat application and its settings.
public struct ChatApplication: Hashable, Sendable {
    /// The application's key.
    public var key: String
    /// The application's secret, which signs requests of its servers.
    public var secret: Secret
    /// The previous secret, while the old and the new secret are both valid. Calls signed with the previous secret are accepted, but the
    /// server signs nothing with it. Nil for none (rule SO-80).
    public var previousSecret: Secret?
    /// Whether the application accepts sessions and calls.
    public var isEnabled: Bool
    /// The application's limits, such as numbers of users and sizes of messages.
    public var limits: ChatLimits
    /// Whether a user's own messages are also stored in the user's inbox, and a new device gets all entries of the inbox.
    public var syncsDevices: Bool
    /// Whether entering an open channel that does not exist creates it.
    public var createsOpenChannels: Bool
    /// Whether a user may be in several open channels at the same time.
    public var allowsManyOpenChannels: Bool
    /// Whether only the sender may recall a message.
    public var recallsOwnOnly: Bool
    /// Whether users may subscribe to the online status of other users.
    public var hasPresence: Bool
    /// How long access tokens are valid; nil if they never expire.
    public var tokenLifetime: Duration?
    /// The address to which webhook events are sent; nil for no webhooks.
    public var webhook: String?

    /// Makes an application; by default with the settings of this server.
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

    /// All valid secrets. The server signs with the first one.
    public var validSecrets: [Secret] { Secret.valid(secret, previousSecret) }

    /// The application that `lifeline serve` offers without configuration: key `app-key`, secret `app-secret`.
    public static let development = ChatApplication(key: "app-key", secret: Secret("app-secret"))
}

/// The limits of a chat application. Sizes are in bytes. The values are those of Nexconn's own service where Nexconn publishes them.
public struct ChatLimits: Hashable, Sendable {
    /// The largest number of messages of one session per second. Nexconn's own service allows 5; the higher default only prevents that one
    /// client harms others.
    public var sendsPerSecond: Int = 1_000
    /// The largest number of changes other than messages that one session may make per second: to groups, open channels, receipts and
    /// settings.
    public var changesPerSecond: Int = 500
    /// The largest number of read-only requests of one session per second.
    public var queriesPerSecond: Int = 1_000
    /// The largest size of a message's content in bytes.
    public var contentBytes: Int = 131_072
    /// The largest number of registered users of the application.
    public var users: Int = 1_000_000
    /// The largest size of a user's name, avatar address and additional values together, in bytes.
    public var userBytes: Int = 65_536
    /// The largest number of inboxes of user ids that are not registered.
    public var unregisteredInboxes: Int = 100_000
    /// The largest number of inboxes of unregistered user ids that one user may create by sending the first message to them.
    public var unregisteredInboxesPerUser: Int = 1_000
    /// The largest number of groups of the application.
    public var groups: Int = 100_000
    /// The largest number of groups that a user may join by requests of sessions. The application's server may add the user to more.
    public var groupsPerUser: Int = 1_000
    /// The largest number of existing groups that were created by requests of one user's sessions.
    public var groupsMadePerUser: Int = 1_000
    /// The largest size of all texts of a group together, in bytes.
    public var groupBytes: Int = 32_768
    /// The largest number of open channels of the application.
    public var openChannels: Int = 10_000
    /// The largest number of existing open channels that one user has created by entering them.
    public var openChannelsMadePerUser: Int = 100
    /// The largest number of open channels that a user has entered at the same time.
    public var openChannelsPerUser: Int = 1_000
    /// The largest size of all metadata entries of an open channel together, in bytes.
    public var openEntryBytes: Int = 65_536
    /// The largest number of members of a group.
    public var groupMembers: Int = 3_000
    /// The largest number of admins of a group.
    public var groupAdmins: Int = 10
    /// The largest number of simultaneous connections of the application.
    public var connections: Int = 100_000
    /// The largest number of simultaneous sessions of a user for each class of devices.
    public var devicesPerClass: Int = 1
    /// The largest number of metadata entries of an open channel.
    public var openEntries: Int = 100
    /// The largest number of messages that are delivered when a user enters an open channel.
    public var openHistory: Int = 50
    /// The largest number of users in one request about online status.
    public var presencePerCall: Int = 200
    /// The largest number of online status subscriptions of one user.
    public var presencePerUser: Int = 1_000
    /// The largest number of subscribers to the online status of one user.
    public var presenceSubscribers: Int = 5_000
    /// How long messages for an offline user stay in the user's inbox.
    public var inboxRetention: Duration = .seconds(7 * 86_400)
    /// How long messages stay in histories: 180 days, as in Nexconn's own service, and at least as long as ``inboxRetention``.
    public var historyRetention: Duration = .seconds(180 * 86_400)
    /// The largest number of messages in all histories of the application together; nil for no limit. If there are more, the oldest
    /// messages are removed from histories within seconds. Inboxes keep these messages for ``inboxRetention``.
    public var historyMessages: Int?
    /// The largest total size in bytes of the messages in all histories, counted in the JSON form that clients get; nil for no limit. The
    /// oldest messages beyond it are removed in the same way as for ``historyMessages``.
    public var historyBytes: Int?
    /// The number of minutes for which a message can be edited after it was sent.
    public var modifiableMinutes: Int = 1_440
    /// How long a user stays in an open channel after the user's connection was lost.
    public var openGrace: Duration = .seconds(30)
    /// How long a user may be disconnected before other users are notified that the user is offline.
    public var presenceGrace: Duration = .seconds(3)
    /// The largest number of calls per second to one path of the server API. For issuing tokens, twice as many are allowed.
    public var callsPerSecond: Int = 100

    /// Makes limits with the default values.
    public init() {}
}
