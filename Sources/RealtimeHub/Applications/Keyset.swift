/// The credentials of an application for services that know it by a pair of keys (PubNub), and what is switched on for it.
public struct Keyset: Hashable, Sendable {
    /// Needed to publish.
    public var publishKey: String
    /// Names the application in every request.
    public var subscribeKey: String
    /// Signs grants. Known to the application's own servers only.
    public var secretKey: Secret
    /// The secret key before this one, while both are valid: signatures and access tokens made with it are accepted, and nothing is
    /// signed with it. Nil for none (rule SO-80).
    public var previousSecretKey: Secret?
    /// A disabled keyset refuses requests.
    public var isEnabled: Bool
    /// Whether rights are checked. Off by default.
    public var requiresGrants: Bool
    /// Whether published messages are stored when the publisher does not say.
    public var storesByDefault: Bool
    /// Occupancy above which single join and leave events give way to interval events.
    public var announceMaximum: Int
    /// How often interval events come.
    public var presenceInterval: Duration
    /// Whether interval events carry the users that came and went.
    public var sendsPresenceDeltas: Bool
    /// How long a poll is held before it is answered with nothing; nil for what the server does for all.
    public var pollHold: Duration?

    public init(
        publishKey: String, subscribeKey: String, secretKey: Secret, previousSecretKey: Secret? = nil, isEnabled: Bool = true,
        requiresGrants: Bool = false, storesByDefault: Bool = true, announceMaximum: Int = 20,
        presenceInterval: Duration = .seconds(10), sendsPresenceDeltas: Bool = true, pollHold: Duration? = nil
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
    }

    /// All secret keys that are valid, the one that signs first.
    public var validSecretKeys: [Secret] { Secret.valid(secretKey, previousSecretKey) }

    /// The keyset that exists without configuration: publish and subscribe key `demo`, secret `demo-secret`.
    public static let development = Keyset(publishKey: "demo", subscribeKey: "demo", secretKey: "demo-secret")
}
