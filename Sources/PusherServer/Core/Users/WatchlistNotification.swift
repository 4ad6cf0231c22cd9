/// A signed-in connection: its event loop, and its name there.
public struct UserConnection: Hashable, Sendable {
    /// The number of the connection's event loop.
    public var eventLoopID: Int
    /// The first half of the connection's name.
    public var high: UInt64
    /// The second half of the connection's name.
    public var low: UInt64

    /// Makes a value with these properties.
    public init(eventLoopID: Int, high: UInt64, low: UInt64) {
        self.eventLoopID = eventLoopID
        self.high = high
        self.low = low
    }
}

/// Users who came online or went offline, and the connections that watch all of them.
public struct WatchlistNotification: Hashable, Sendable {
    /// The connections that are notified.
    public var watchers: [UserConnection]
    /// Users who came online.
    public var online: [String]
    /// Users who went offline.
    public var offline: [String]

    /// Makes a value with these properties.
    public init(watchers: [UserConnection], online: [String], offline: [String]) {
        self.watchers = watchers
        self.online = online
        self.offline = offline
    }
}

/// The result of a sign-in.
public struct UserSignIn: Hashable, Sendable {
    /// The online users of the watchlist, in its order.
    public var online: [String]
    /// Notifications that other watchers have to receive first.
    public var news: [WatchlistNotification]

    /// Makes a value with these properties.
    public init(online: [String], news: [WatchlistNotification]) {
        self.online = online
        self.news = news
    }
}
