/// A signed-in connection: its event loop, and the two numbers of its socket id.
package struct UserConnection: Hashable, Sendable {
    /// The number of the connection's event loop.
    package var eventLoopID: Int
    /// The first number of the connection's socket id.
    package var high: UInt64
    /// The second number of the connection's socket id.
    package var low: UInt64

    /// Makes the value from the number of the event loop and the two numbers of the socket id.
    package init(eventLoopID: Int, high: UInt64, low: UInt64) {
        self.eventLoopID = eventLoopID
        self.high = high
        self.low = low
    }
}

/// Users who came online or went offline, and the connections that watch all of them.
package struct WatchlistNotification: Hashable, Sendable {
    /// The connections to which the notification is sent.
    package var watchers: [UserConnection]
    /// The ids of users who came online.
    package var online: [String]
    /// The ids of users who went offline.
    package var offline: [String]

    /// Makes a notification for `watchers`.
    package init(watchers: [UserConnection], online: [String], offline: [String]) {
        self.watchers = watchers
        self.online = online
        self.offline = offline
    }
}

/// The result of a sign-in for the connection and for other watchers.
package struct UserSignIn: Hashable, Sendable {
    /// The online users of the watchlist, in its order.
    package var online: [String]
    /// Notifications for other connections that watch the user, to be queued before the result of this sign-in.
    package var news: [WatchlistNotification]

    /// Makes the result of a sign-in.
    package init(online: [String], news: [WatchlistNotification]) {
        self.online = online
        self.news = news
    }
}
