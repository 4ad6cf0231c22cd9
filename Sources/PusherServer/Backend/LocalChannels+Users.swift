import ServerRuntime
import ServerStorage

/// Signed-in users of an application and their watchers. Status events are passed to the nodes under the lock of the application's
/// users, so that online and offline events of a user alternate (rule HB-50).
extension LocalChannels {
    package func signIn(_ signIn: ConnectionSignIn) {
        let now = now
        withUsers(of: signIn.application) { users in
            let outcome = users.signIn(signIn.connection, as: signIn.user, watching: signIn.watchlist, at: now)
            tell(outcome.news)
            var answers = signIn.answers
            if !outcome.online.isEmpty { answers.append(PusherWire.frame(PusherWire.watchlist(online: outcome.online))) }
            let eventLoopID = signIn.connection.eventLoopID
            for answer in answers {
                _ = apply(.tell([SocketID(signIn.connection)], eventLoopID: eventLoopID, answer), at: eventLoopID)
            }
        }
    }

    package func signOut(_ connection: UserConnection, of application: Application) {
        let now = now
        withUsers(of: application) { $0.signOut(connection, at: now) }
    }

    /// Sends watchers one message each with the users that came online or went offline.
    func tell(_ news: [WatchlistNotification]) {
        for news in news {
            let frame = PusherWire.watchlist(news)
            for (eventLoopID, watchers) in Dictionary(grouping: news.watchers, by: \.eventLoopID) {
                _ = apply(.tell(watchers.map { SocketID($0) }, eventLoopID: eventLoopID, frame), at: eventLoopID)
            }
        }
    }
}

extension SocketID {
    init(_ connection: UserConnection) {
        self.init(high: connection.high, low: connection.low)
    }
}

extension UserConnection {
    init(_ socketID: SocketID, eventLoopID: Int) {
        self.init(eventLoopID: eventLoopID, high: socketID.high, low: socketID.low)
    }
}
