/// The limits of an application. The defaults are those of Pusher Channels (rule HB-2).
///
/// Sizes are bytes of UTF-8. A limit below zero counts as zero.
public struct ApplicationLimits: Hashable, Sendable {
    /// The largest number of simultaneous connections; nil for no limit.
    public var connections: Int?
    /// The largest number of channels with at least one subscription.
    public var channels: Int
    /// The largest number of subscriptions of all connections together.
    public var subscriptions: Int
    /// The largest number of client events of one connection per second. The same number may be sent at once as a burst.
    public var clientEventsPerSecond: Int
    /// The largest number of events per second that the application's servers publish, counted once for each channel; nil for no limit.
    public var publishesPerSecond: Int?
    /// The largest number of read requests of the application's servers per second; nil for no limit.
    public var queriesPerSecond: Int?
    /// The largest number of user ids on one connection's watchlist.
    public var watchlistUsers: Int
    /// The largest number of distinct users of one presence channel.
    public var presenceMembers: Int
    /// The largest size of a presence member's id and information together.
    public var presenceMemberBytes: Int
    /// The largest length of a user's id.
    public var userIDBytes: Int
    /// The largest length of a channel's name in bytes, including its prefix. Names have ASCII characters only, so this is also the number
    /// of characters.
    public var channelNameBytes: Int
    /// The largest length of an event's name.
    public var eventNameBytes: Int
    /// The largest size of one event's data.
    public var eventDataBytes: Int
    /// The largest number of channels in one publish request.
    public var channelsPerPublish: Int
    /// The largest number of events in one batch request.
    public var eventsPerBatch: Int
    /// The largest number of channels to which one connection is subscribed.
    public var channelsPerConnection: Int
    /// How long a cache channel keeps its last event.
    public var cacheLifetime: Duration
    /// The largest size of the events of all cache channels together.
    public var cacheBytes: Int
    /// The share, in percent, of the application's connections, channels, subscriptions and stored events that the clients of one IP
    /// address may use; 100 for all. Clients on the server's own machine are limited only if the server is configured to limit them.
    public var addressShare: Int

    /// Makes limits; by default those of Pusher Channels.
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
