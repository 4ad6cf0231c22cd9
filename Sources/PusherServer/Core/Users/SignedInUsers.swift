import Identifiers
import ServerValues

/// The signed-in users of one application, with the number of their connections, and the connections that watch them.
///
/// A value without locks, clocks and I/O. Its owner guards it with one lock, and queues the notifications under that lock. So each watcher
/// gets alternating online and offline events of a user, beginning with the status that its sign-in returned (rules HB-50 to HB-53).
///
/// It has an entry for every user who is online or watched, and the watchlist of every connection that has a watchlist.
package struct SignedInUsers: Sendable {
    private struct User {
        var connections = 0
        /// Whether the user's status that watchers have received last is online.
        var isOnlineForWatchers = false
        var watchers: Set<UserConnection> = []
    }

    private struct Session {
        var user: Identifier
        var watchlist: [Identifier]
    }

    private var users: [Identifier: User] = [:]
    private var sessions: [UserConnection: Session] = [:]
    /// Users whose current status watchers have not received yet, with the time at which watchers are to be notified.
    private var untold: [Identifier: MonotonicInstant] = [:]
    /// How long watchers still see a user as online after the user's last connection has ended.
    private let offlineGrace: Duration

    /// Makes the users of an application, none of whom is signed in.
    ///
    /// - Parameter offlineGrace: a user who reconnects within this time is not reported as offline (rule HB-52).
    package init(offlineGrace: Duration) {
        self.offlineGrace = offlineGrace
    }

    /// Signs a connection in, or replaces the watchlist of a connection that is signed in.
    ///
    /// - Parameters:
    ///   - connection: the connection.
    ///   - user: the user's id.
    ///   - watchlist: distinct user ids; the caller limits their number.
    ///   - now: the current time of the monotonic clock.
    package mutating func signIn(
        _ connection: UserConnection, as user: String, watching watchlist: [String], at now: MonotonicInstant
    ) -> UserSignIn {
        let user = Identifier(user)
        if let session = sessions[connection], session.user != user { signOut(connection, at: now) }
        let replaced = sessions[connection]?.watchlist
        if replaced == nil {
            users[user, default: User()].connections += 1
            if users[user]?.connections == 1 { changed(user, at: now) }
        }
        var online: [String] = []
        var settled: [Identifier] = []
        var watched: [Identifier] = []
        for name in watchlist {
            let id = Identifier(name)
            let index = entry(id)
            users.values[index].watchers.insert(connection)
            // All watchers of a user share one copy of the user's id, which saves memory.
            watched.append(users.keys[index])
            guard users.values[index].connections > 0 || users.values[index].isOnlineForWatchers else { continue }
            online.append(name)
            // Watchers who have not been notified that the user is online are notified now, so that all watchers have the same status.
            guard !users.values[index].isOnlineForWatchers else { continue }
            users.values[index].isOnlineForWatchers = true
            untold[id] = nil
            settled.append(id)
        }
        sessions[connection] = Session(user: user, watchlist: watched)
        if let replaced { unwatch(Set(replaced).subtracting(watched), connection) }
        return UserSignIn(online: online, news: news(of: settled, but: connection))
    }

    /// Removes a connection that has ended. Does nothing when it is not signed in.
    package mutating func signOut(_ connection: UserConnection, at now: MonotonicInstant) {
        guard let session = sessions.removeValue(forKey: connection) else { return }
        unwatch(session.watchlist, connection)
        users[session.user]?.connections -= 1
        if users[session.user]?.connections == 0 { changed(session.user, at: now) }
    }

    /// Returns the notifications for watchers that are due: users who came online, and users whose grace period has ended (rule HB-51).
    package mutating func takeNews(at now: MonotonicInstant) -> [WatchlistNotification] {
        guard !untold.isEmpty else { return [] }
        var due: [Identifier] = []
        for (user, time) in untold where time <= now { due.append(user) }
        guard !due.isEmpty else { return [] }
        due.sort()
        for user in due {
            untold[user] = nil
            users[user]?.isOnlineForWatchers.toggle()
        }
        let news = news(of: due)
        for user in due { forgetIfUnused(user) }
        return news
    }

    /// Whether a user has a signed-in connection.
    package func isOnline(_ user: String) -> Bool {
        users[Identifier(user)].map { $0.connections > 0 } ?? false
    }

    /// The number of signed-in connections.
    package var connectionCount: Int { sessions.count }
    /// The number of users that are online or watched.
    package var userCount: Int { users.count }

    // MARK: Changing

    private mutating func entry(_ user: Identifier) -> Dictionary<Identifier, User>.Index {
        if let index = users.index(forKey: user) { return index }
        users[user] = User()
        return users.index(forKey: user) ?? users.startIndex
    }

    /// Schedules a notification of watchers after the user's first connection has signed in or the last one has ended.
    private mutating func changed(_ user: Identifier, at now: MonotonicInstant) {
        guard let entry = users[user] else { return }
        let isOnline = entry.connections > 0
        if entry.isOnlineForWatchers == isOnline {
            untold[user] = nil
        } else if entry.watchers.isEmpty {
            users[user]?.isOnlineForWatchers = isOnline
            untold[user] = nil
        } else {
            untold[user] = isOnline ? now : now.advanced(by: offlineGrace)
        }
        forgetIfUnused(user)
    }

    private mutating func unwatch(_ watchlist: some Sequence<Identifier>, _ connection: UserConnection) {
        for id in watchlist {
            users[id]?.watchers.remove(connection)
            guard let entry = users[id], entry.watchers.isEmpty else { continue }
            // Without watchers, nobody has to be notified of the user's status.
            users[id]?.isOnlineForWatchers = entry.connections > 0
            untold[id] = nil
            forgetIfUnused(id)
        }
    }

    private mutating func forgetIfUnused(_ user: Identifier) {
        guard let entry = users[user], entry.connections == 0, entry.watchers.isEmpty else { return }
        users[user] = nil
        untold[user] = nil
    }

    // MARK: Telling

    /// Makes notifications of the current status of these users. Watchers of the same users share one notification.
    private func news(of changes: [Identifier], but left: UserConnection? = nil) -> [WatchlistNotification] {
        var perWatcher: [UserConnection: [Int]] = [:]
        for (index, user) in changes.enumerated() {
            for watcher in users[user]?.watchers ?? [] where watcher != left { perWatcher[watcher, default: []].append(index) }
        }
        return Dictionary(grouping: perWatcher.keys) { perWatcher[$0] ?? [] }.map { indices, watchers in
            let told = indices.map { changes[$0] }
            return WatchlistNotification(
                watchers: watchers, online: told.filter { users[$0]?.isOnlineForWatchers == true }.map(\.text),
                offline: told.filter { users[$0]?.isOnlineForWatchers != true }.map(\.text))
        }
    }
}
