/// The protocol's limits. Pusher documentation, Channels and HTTP API; the higher limit where sources differ (rule PW-11).
public enum PusherLimits {
    /// The most characters in a channel name, for a client, as in libraries and other servers. Pusher's documentation has 164, which is
    /// also this server's default (rule SP-63).
    public static let channelName = 200
    /// The most characters in an event name.
    public static let eventName = 200
    /// The most bytes of an event's data.
    public static let eventData = 10_240
    /// The most channels of one HTTP publish.
    public static let channelsPerPublish = 100
    /// The most events of one batch.
    public static let eventsPerBatch = 10
    /// The most client events that a connection may send in a second.
    public static let clientEventsPerSecond = 10
    /// The most members of a presence channel.
    public static let presenceMembers = 100
    /// The most bytes of a member's `channel_data`.
    public static let presenceMemberSize = 1024
    /// The most characters in a user id.
    public static let userID = 128
    /// The most user ids of a watchlist.
    public static let watchlist = 100
    /// The most user ids that a client accepts in one message about a watchlist.
    public static let watchlistMessage = 10_000
    /// The limit of members of one channel that a client stores, whatever the server sends.
    public static let membersKept = 100_000
    /// The most bytes of a refusal's body that a client reports.
    public static let shownBody = 1024
    /// How many seconds the timestamp of an HTTP request may differ from the server's clock.
    public static let timestampWindow = 600
    /// How many seconds a cache channel keeps its last event.
    public static let cacheSeconds = 1800

    /// Whether an event name has an acceptable length.
    public static func accepts(eventName name: String) -> Bool {
        !name.isEmpty && name.unicodeScalars.count <= eventName
    }

    /// Whether a socket id is two numbers with a point between them, the shape that signatures rely on.
    public static func accepts(socketID: String) -> Bool {
        let parts = socketID.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return socketID.utf8.count <= 64 && parts.count == 2
            && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0 &- UInt8(ascii: "0") < 10 } }
    }
}
