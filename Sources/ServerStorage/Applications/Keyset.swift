/// An application of the PubNub protocol: its keys and features.
public struct Keyset: Hashable, Sendable {
    /// The key that publishers need.
    public var publishKey: String
    /// The key that identifies the keyset in every request.
    public var subscribeKey: String
    /// The key that signs grants. Only the application's own servers know it.
    public var secretKey: Secret
    /// The previous secret key, while both are valid: signatures and access tokens made with it are accepted, but it signs nothing.
    /// Nil for none (rule SO-80).
    public var previousSecretKey: Secret?
    /// A disabled keyset refuses requests.
    public var isEnabled: Bool
    /// Whether the access manager checks grants. False by default.
    public var requiresGrants: Bool
    /// Whether messages are stored when the publisher does not set it.
    public var storesByDefault: Bool
    /// The number of users above which interval events replace single join and leave events.
    public var announceMaximum: Int
    /// The time between interval events.
    public var presenceInterval: Duration
    /// Whether interval events contain the users that joined and left.
    public var sendsPresenceDeltas: Bool
    /// How long a poll without messages is held; nil for the server's setting.
    public var pollHold: Duration?
    /// The webhook for messages that request push notifications, with `http` or `https`; nil for none. Requests are signed with
    /// ``secretKey``.
    public var pushWebhook: String?
    /// The largest file, in bytes. 5 MiB by default.
    public var fileBytes: Int
    /// The size limit of all files together, in bytes; 0 for no files. 1 GiB by default, of which at most 64 MiB are kept in memory
    /// by a server without a data directory.
    public var fileStorage: Int
    /// How long a file is kept; nil until it is deleted.
    public var fileLifetime: Duration?
    /// How long stored messages stay in the history at most, counted from their publication; nil when only their publishers limit
    /// it. Messages that were stored before it was set are removed by it too, in Redis only with one of the two limits below.
    public var historyRetention: Duration?
    /// The largest number of stored messages of all channels together; nil for no limit. The oldest are removed, within seconds.
    public var historyMessages: Int?
    /// The largest size of all stored messages in bytes: their payloads and metadata; nil for no limit. Otherwise as
    /// ``historyMessages``.
    public var historyBytes: Int?

    /// A keyset with the server's defaults.
    public init(
        publishKey: String, subscribeKey: String, secretKey: Secret, previousSecretKey: Secret? = nil, isEnabled: Bool = true,
        requiresGrants: Bool = false, storesByDefault: Bool = true, announceMaximum: Int = 20,
        presenceInterval: Duration = .seconds(10), sendsPresenceDeltas: Bool = true, pollHold: Duration? = nil,
        pushWebhook: String? = nil, fileBytes: Int = 5 << 20, fileStorage: Int = 1 << 30, fileLifetime: Duration? = nil,
        historyRetention: Duration? = nil, historyMessages: Int? = nil, historyBytes: Int? = nil
    ) {
        self.publishKey = publishKey
        self.subscribeKey = subscribeKey
        self.secretKey = secretKey
        self.previousSecretKey = previousSecretKey
        self.isEnabled = isEnabled
        self.requiresGrants = requiresGrants
        self.storesByDefault = storesByDefault
        self.announceMaximum = announceMaximum
        self.presenceInterval = presenceInterval
        self.sendsPresenceDeltas = sendsPresenceDeltas
        self.pollHold = pollHold
        self.pushWebhook = pushWebhook
        self.fileBytes = fileBytes
        self.fileStorage = fileStorage
        self.fileLifetime = fileLifetime
        self.historyRetention = historyRetention
        self.historyMessages = historyMessages
        self.historyBytes = historyBytes
    }

    /// All secret keys that are valid, the one that signs first.
    public var validSecretKeys: [Secret] { Secret.valid(secretKey, previousSecretKey) }

    /// The keyset that exists without configuration: publish and subscribe key `demo`, secret `demo-secret`.
    public static let development = Keyset(publishKey: "demo", subscribeKey: "demo", secretKey: "demo-secret")
}
