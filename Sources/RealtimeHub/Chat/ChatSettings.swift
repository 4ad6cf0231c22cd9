/// A chat application and what it allows.
public struct ChatApplication: Hashable, Sendable {
    public var key: String
    public var secret: Secret
    public var limits: ChatLimits
    /// Whether users' own messages are in their inboxes too, and new devices get all that inboxes keep.
    public var syncsDevices: Bool
    /// Whether entering an open channel that nobody created makes it.
    public var createsOpenChannels: Bool
    /// Whether a user may be in several open channels at a time.
    public var allowsManyOpenChannels: Bool
    /// Whether only the sender may recall a message.
    public var recallsOwnOnly: Bool
    public var hasPresence: Bool
    /// Nil for tokens that do not expire by themselves.
    public var tokenLifetime: Duration?
    /// Where events are posted; nil for no webhooks.
    public var webhook: String?

    public init(
        key: String, secret: Secret, limits: ChatLimits = .init(), syncsDevices: Bool = false, createsOpenChannels: Bool = true,
        allowsManyOpenChannels: Bool = true, recallsOwnOnly: Bool = false, hasPresence: Bool = true,
        tokenLifetime: Duration? = nil, webhook: String? = nil
    ) {
        self.key = key
        self.secret = secret
        self.limits = limits
        self.syncsDevices = syncsDevices
        self.createsOpenChannels = createsOpenChannels
        self.allowsManyOpenChannels = allowsManyOpenChannels
        self.recallsOwnOnly = recallsOwnOnly
        self.hasPresence = hasPresence
        self.tokenLifetime = tokenLifetime
        self.webhook = webhook
    }

    /// What `lifeline serve` serves without configuration (design, section 5).
    public static let development = ChatApplication(key: "app-key", secret: Secret("app-secret"))
}

/// Limits of a chat application. Sizes are bytes. The vendor's own figures where it publishes them.
public struct ChatLimits: Hashable, Sendable {
    /// Messages a second that one session may send. The vendor allows 5; the default only keeps a client from harming others.
    public var sendsPerSecond: Int = 1_000
    public var contentBytes: Int = 131_072
    public var groupMembers: Int = 3_000
    public var groupAdmins: Int = 10
    public var connections: Int = 100_000
    /// For each device class of a user.
    public var devicesPerClass: Int = 1
    public var openEntries: Int = 100
    public var openHistory: Int = 50
    public var presencePerCall: Int = 200
    public var presencePerUser: Int = 1_000
    public var presenceSubscribers: Int = 5_000
    public var inboxRetention: Duration = .seconds(7 * 86_400)
    /// How long histories keep messages: half a year, as the vendor does. Never less than inboxes.
    public var historyRetention: Duration = .seconds(180 * 86_400)
    public var modifiableMinutes: Int = 1_440
    /// How long somebody who lost the connection stays in an open channel.
    public var openGrace: Duration = .seconds(30)
    /// How long a user may be away before others see it.
    public var presenceGrace: Duration = .seconds(3)
    /// Calls a second to one address of the server API; tokens have twice as many.
    public var callsPerSecond: Int = 100

    public init() {}
}
