/// An application of the Pusher protocol: its credentials, features and limits.
public struct Application: Hashable, Sendable, Identifiable {
    /// The public number of the application in REST paths. It has digits only, because some libraries that publish events accept no other
    /// ids.
    public var id: String
    /// The public key that clients connect with.
    public var key: String
    /// The secret that signs subscriptions and REST requests. Only the application's own servers know it.
    public var secret: Secret
    /// The previous secret, while the old and the new secret are both valid. Signatures made with the previous secret are accepted, but the
    /// server signs nothing with it. Nil for none (rule SO-80).
    public var previousSecret: Secret?
    /// Whether the application accepts connections and requests.
    public var isEnabled: Bool
    /// Whether subscribers may send client events to each other.
    public var allowsClientEvents: Bool
    /// Whether subscribers of channels without presence are notified of the number of subscribers.
    public var announcesSubscriptionCounts: Bool
    /// Whether clients may sign in as a user (`pusher:signin`).
    public var allowsUserAuthentication: Bool
    /// Whether connections without TLS are refused.
    public var requiresTLS: Bool
    /// The origins of web pages that may connect, as in the `Origin` header of a browser: `https://example.com`, `https://*.example.com`,
    /// or `example.com` for any scheme and port. Empty for all. Programs other than browsers send no origin and are not checked.
    public var allowedOrigins: [String]
    /// How long a client may be connected without signing in or subscribing to a channel that needs authorisation; nil for no limit.
    public var authorizationTimeout: Duration?
    /// The receivers of events about the application's channels.
    public var webhooks: [Webhook]
    /// The application's limits, such as numbers of connections and sizes of events.
    public var limits: ApplicationLimits
    /// The settings for replaying missed events to connections that reconnect.
    public var recovery: RecoverySettings

    /// Makes an application; by default with the settings of Pusher Channels.
    public init(
        id: String, key: String, secret: Secret, previousSecret: Secret? = nil, isEnabled: Bool = true,
        allowsClientEvents: Bool = false, announcesSubscriptionCounts: Bool = false, allowsUserAuthentication: Bool = true,
        requiresTLS: Bool = false,
        allowedOrigins: [String] = [], authorizationTimeout: Duration? = nil, webhooks: [Webhook] = [],
        limits: ApplicationLimits = .init(), recovery: RecoverySettings = .init()
    ) {
        self.id = id
        self.key = key
        self.secret = secret
        self.previousSecret = previousSecret
        self.isEnabled = isEnabled
        self.allowsClientEvents = allowsClientEvents
        self.announcesSubscriptionCounts = announcesSubscriptionCounts
        self.allowsUserAuthentication = allowsUserAuthentication
        self.requiresTLS = requiresTLS
        self.allowedOrigins = allowedOrigins
        self.authorizationTimeout = authorizationTimeout
        self.webhooks = webhooks
        self.limits = limits
        self.recovery = recovery
    }

    /// All valid secrets. The server signs with the first one.
    public var validSecrets: [Secret] { Secret.valid(secret, previousSecret) }

    /// The application that exists without configuration: id `1001`, key `app-key`, secret `app-secret` (rule HB-1).
    ///
    /// Its credentials are public. Client events and subscription counts are enabled, so that developers can try all features of clients.
    public static let development = Application(
        id: "1001", key: "app-key", secret: "app-secret", allowsClientEvents: true, announcesSubscriptionCounts: true)
}
