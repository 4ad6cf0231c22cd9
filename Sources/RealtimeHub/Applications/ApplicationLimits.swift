/// The limits of an application. The defaults are those of Pusher Channels (rule HB-2).
///
/// Sizes are bytes of UTF-8. A limit below zero counts as zero.
public struct ApplicationLimits: Hashable, Sendable {
    /// Connections at the same time; nil for no limit.
    public var connections: Int?
    /// Channels with a subscription at the same time.
    public var channels: Int
    /// Subscriptions of all connections together.
    public var subscriptions: Int
    /// Client events of one connection in a second; as many may come at once.
    public var clientEventsPerSecond: Int
    /// Events that the application's servers publish in a second, each for as many channels as it names; nil for no limit.
    public var publishesPerSecond: Int?
    /// Requests that read, of the application's servers in a second; nil for no limit.
    public var queriesPerSecond: Int?
    /// User ids of one connection's watchlist.
    public var watchlistUsers: Int
    /// Distinct users of one presence channel.
    public var presenceMembers: Int
    /// A member's id and information together.
    public var presenceMemberBytes: Int
    /// The id of a user.
    public var userIDBytes: Int
    /// The name of a channel, its prefix included. Names have ASCII characters only, so bytes and characters are the same.
    public var channelNameBytes: Int
    /// The name of an event.
    public var eventNameBytes: Int
    /// The data of one event.
    public var eventDataBytes: Int
    /// Channels that one publish request names.
    public var channelsPerPublish: Int
    /// Events in one batch.
    public var eventsPerBatch: Int
    /// Channels that one connection is subscribed to.
    public var channelsPerConnection: Int
    /// How long a cache channel remembers its last event.
    public var cacheLifetime: Duration
    /// The remembered events of all cache channels together.
    public var cacheBytes: Int
    /// How much of the connections, channels, subscriptions and kept events of the application the clients of one address may take, in
    /// percent; 100 for all. Clients of the server's own machine are not limited unless the server says so.
    public var addressShare: Int

    /// Limits; by default those of Pusher Channels.
    public init(
        connections: Int? = nil, clientEventsPerSecond: Int = 10, publishesPerSecond: Int? = nil,
        queriesPerSecond: Int? = 500, watchlistUsers: Int = 100, presenceMembers: Int = 100, presenceMemberBytes: Int = 1024,
        userIDBytes: Int = 128, channelNameBytes: Int = 164, eventNameBytes: Int = 200, eventDataBytes: Int = 10_240,
        channelsPerPublish: Int = 100, eventsPerBatch: Int = 10, channelsPerConnection: Int = 10_000,
        cacheLifetime: Duration = .seconds(1800), channels: Int = 1_000_000, subscriptions: Int = 4_000_000,
        cacheBytes: Int = 67_108_864, addressShare: Int = 10
    ) {
        self.connections = connections
        self.channels = channels
        self.subscriptions = subscriptions
        self.clientEventsPerSecond = clientEventsPerSecond
        self.publishesPerSecond = publishesPerSecond
        self.queriesPerSecond = queriesPerSecond
        self.watchlistUsers = watchlistUsers
        self.presenceMembers = presenceMembers
        self.presenceMemberBytes = presenceMemberBytes
        self.userIDBytes = userIDBytes
        self.channelNameBytes = channelNameBytes
        self.eventNameBytes = eventNameBytes
        self.eventDataBytes = eventDataBytes
        self.channelsPerPublish = channelsPerPublish
        self.eventsPerBatch = eventsPerBatch
        self.channelsPerConnection = channelsPerConnection
        self.cacheLifetime = cacheLifetime
        self.cacheBytes = cacheBytes
        self.addressShare = min(max(addressShare, 1), 100)
    }
}
