/// An application of the PubNub protocol: its keys and features.
public struct Keyset: Hashable, Sendable {
    /// The key that requests for publishing have to contain.
    public var publishKey: String
    /// The key that identifies the keyset in all requests of clients.
    public var subscribeKey: String
    /// The key that signs grants. Only the application's own servers know it.
    public var secretKey: Secret
    /// The previous secret key, while the old and the new key are both valid. Signatures and access tokens made with the previous key are
    /// accepted, but the server signs nothing with it. Nil for none (rule SO-80).
    public var previousSecretKey: Secret?
    /// Whether the keyset accepts requests.
    public var isEnabled: Bool
    /// Whether requests need a grant of the access manager. False by default.
    public var requiresGrants: Bool
    /// Whether messages are stored in the history if their publisher does not say so in the request.
    public var storesByDefault: Bool
    /// The number of users of a channel above which presence interval events replace single join and leave events.
    public var announceMaximum: Int
    /// The time between two presence interval events of a channel.
    public var presenceInterval: Duration
    /// Whether presence interval events contain the users that joined and left.
    public var sendsPresenceDeltas: Bool
    /// How long a subscribe request without messages is held; nil for the server's setting.
    public var pollHold: Duration?
    /// The `http` or `https` address of the webhook for messages that request push notifications; nil for none. Its requests are signed
    /// with ``secretKey``.
    public var pushWebhook: String?
    /// The largest size of a file in bytes. 5 MiB by default.
    public var fileBytes: Int
    /// The size limit of all files together, in bytes; 0 disables files. 1 GiB by default. A server without a data directory stores files
    /// in memory, at most 64 MiB.
    public var fileStorage: Int
    /// How long a file is stored; nil when it stays until a client deletes it.
    public var fileLifetime: Duration?
    /// The longest time for which a message stays in the history after its publication; nil when only the publisher of a message limits
    /// this time. Messages that were stored before this limit was set are removed, too. If Redis stores the messages, these older messages
    /// are removed only when ``historyMessages`` or ``historyBytes`` is also set.
    public var historyRetention: Duration?
    /// The largest number of stored messages of all channels together; nil for no limit. The oldest messages beyond it are removed within
    /// seconds.
    public var historyMessages: Int?
    /// The largest total size of the payloads and metadata of all stored messages, in bytes; nil for no limit. The oldest messages beyond
    /// it are removed within seconds.
    public var historyBytes: Int?

    /// Makes a keyset; by default with the settings of this server.
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

    /// All valid secret keys. The server signs with the first one.
    public var validSecretKeys: [Secret] { Secret.valid(secretKey, previousSecretKey) }

    /// The keyset that exists without configuration: publish and subscribe key `demo`, secret `demo-secret`.
    public static let development = Keyset(publishKey: "demo", subscribeKey: "demo", secretKey: "demo-secret")
}
