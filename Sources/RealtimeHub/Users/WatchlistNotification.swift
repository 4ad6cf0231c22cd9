/// A connection that is signed in: the event loop that it lives in, and its name there.
public struct UserConnection: Hashable, Sendable {
    public var eventLoopID: Int
    public var high: UInt64
    public var low: UInt64

    public init(eventLoopID: Int, high: UInt64, low: UInt64) {
        self.eventLoopID = eventLoopID
        self.high = high
        self.low = low
    }
}

/// Users who came online or went offline, and the connections that watch all of them.
public struct WatchlistNotification: Hashable, Sendable {
    public var watchers: [UserConnection]
    public var online: [String]
    public var offline: [String]

    public init(watchers: [UserConnection], online: [String], offline: [String]) {
        self.watchers = watchers
        self.online = online
        self.offline = offline
    }
}

/// What a sign-in led to.
public struct UserSignIn: Hashable, Sendable {
    /// Those of the watchlist who are online, in its order.
    public var online: [String]
    /// What others have to be told before.
    public var news: [WatchlistNotification]

    public init(online: [String], news: [WatchlistNotification]) {
        self.online = online
        self.news = news
    }
}
