/// The protocol's limits. Pusher documentation, Channels and HTTP API; the wider one where sources differ (rule PW-11).
public enum PusherLimits {
    /// The limit of letters in a channel name, for a client, as libraries and other servers have it. Pusher's documentation says 164,
    /// which is also this server's default (rule SP-63).
    public static let channelName = 200
    /// Letters in an event name.
    public static let eventName = 200
    /// Bytes of an event's data.
    public static let eventData = 10_240
    /// Channels that one HTTP publish may name.
    public static let channelsPerPublish = 100
    /// Events of one batch.
    public static let eventsPerBatch = 10
    /// Client events that a connection may send in a second.
    public static let clientEventsPerSecond = 10
    /// Members of a presence channel.
    public static let presenceMembers = 100
    /// Bytes of a member's `channel_data`.
    public static let presenceMemberSize = 1024
    /// Letters in a user id.
    public static let userID = 128
    /// User ids of a watchlist.
    public static let watchlist = 100
    /// User ids that a client takes from one message about a watchlist.
    public static let watchlistMessage = 10_000
    /// The limit of members of one channel that a client stores, whatever the server sends.
    public static let membersKept = 100_000
    /// Bytes of a refusal's body that a client passes on.
    public static let shownBody = 1024
    /// Seconds by which the timestamp of an HTTP request may be off.
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
