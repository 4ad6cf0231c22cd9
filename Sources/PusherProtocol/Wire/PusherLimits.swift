/// The protocol's limits. Where Pusher's documentation of channels and of the HTTP API differ, the higher limit is used (rule PW-11).
public enum PusherLimits {
    /// The largest number of characters in a channel name, as in client libraries and other servers. Pusher's documentation has 164, which
    /// is also the default of this package's server (rule SP-63).
    public static let channelName = 200
    /// The largest number of characters in an event name.
    public static let eventName = 200
    /// The largest number of bytes in an event's data.
    public static let eventData = 10_240
    /// The largest number of channels in one publish request of the HTTP API.
    public static let channelsPerPublish = 100
    /// The largest number of events in one batch request of the HTTP API.
    public static let eventsPerBatch = 10
    /// The largest number of client events that a connection may send in a second.
    public static let clientEventsPerSecond = 10
    /// The largest number of members of a presence channel.
    public static let presenceMembers = 100
    /// The largest number of bytes in a member's `channel_data`.
    public static let presenceMemberSize = 1024
    /// The largest number of characters in a user id.
    public static let userID = 128
    /// The largest number of user ids in a watchlist.
    public static let watchlist = 100
    /// The largest number of user ids that a client accepts in one message about its watchlist.
    public static let watchlistMessage = 10_000
    /// The largest number of members of one channel that a client stores; further members are ignored.
    public static let membersKept = 100_000
    /// The largest number of bytes of a refusal's body that a client reports.
    public static let shownBody = 1024
    /// The largest difference, in seconds, between the timestamp of an HTTP request and the server's clock.
    public static let timestampWindow = 600
    /// The time, in seconds, for which a cache channel stores its last event.
    public static let cacheSeconds = 1800

    /// Whether an event name has 1 to ``eventName`` characters.
    public static func accepts(eventName name: String) -> Bool {
        !name.isEmpty && name.unicodeScalars.count <= eventName
    }

    /// Whether a socket id consists of two numbers with a dot between them; signatures rely on this format.
    public static func accepts(socketID: String) -> Bool {
        let parts = socketID.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return socketID.utf8.count <= 64 && parts.count == 2
            && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0 &- UInt8(ascii: "0") < 10 } }
    }
}
