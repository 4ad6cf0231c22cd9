import DequeModule
import Identifiers
import ServerStorage

/// A user's online status.
package struct ChatPresenceState: Hashable, Sendable {
    /// The user's id.
    package var user: Identifier
    /// Whether the user is online.
    package var isOnline: Bool
    /// The time of the last change in milliseconds since 1970; 0 if it is unknown.
    package var time: Int64

    package init(user: Identifier, isOnline: Bool, time: Int64) {
        self.user = user
        self.isOnline = isOnline
        self.time = time
    }
}

/// A change of a user's online status, for the users who watch it.
package struct ChatPresenceEvent: Hashable, Sendable {
    /// The new status.
    package var state: ChatPresenceState
    /// The users who watch the status. All of their sessions are notified.
    package var watchers: [Identifier]
}

/// The online status of users, and the users who watch it (rules CH-83 to CH-87).
struct ChatPresence: Sendable {
    /// How long the time at which a user went offline is kept, in ms: 7 days.
    static let memory: Int64 = 7 * 86_400_000

    /// Each user's subscriptions to other users' online status: by the watching user, then by the watched user.
    private var subscriptions: [Identifier: [Identifier: ChatDocument.Subscription]] = [:]
    private var watchers: [Identifier: Set<Identifier>] = [:]
    /// Users whose last session has ended and whose watchers are not notified yet. `deadline` is by the monotonic clock. `since`, the time
    /// of the end, is by the wall clock.
    private var leaving: [Identifier: (deadline: Int64, since: Int64)] = [:]
    /// See ``ChatState/steadyTime``.
    var steadyTime: Int64?
    private var changes: [Identifier: ChatPresenceState] = [:]
    /// The users whose status has changed since the last call of ``ChatState/takeLiveChanges()``; nil when changes are not recorded.
    var touched: Set<Identifier>?
    private var nextHousekeeping = Int64.min

    func state(of user: Identifier) -> ChatPresenceState {
        changes[user] ?? ChatPresenceState(user: user, isOnline: false, time: 0)
    }

    // MARK: Users coming online and going offline

    /// Records that a user has a session. Watchers are notified unless the user still counted as online.
    mutating func came(_ user: Identifier, at now: Int64, news: inout ChatNews) {
        if leaving.removeValue(forKey: user) != nil { touched?.insert(user) }
        guard changes[user]?.isOnline != true else { return }
        change(user, isOnline: true, at: now, news: &news)
    }

    /// Records that a user has lost the last session. Watchers are notified after `grace` milliseconds, unless the user is online by then.
    mutating func left(_ user: Identifier, grace: Int64, at now: Int64, news: inout ChatNews) {
        if grace > 0 {
            leaving[user] = ((steadyTime ?? now) + grace, now)
            touched?.insert(user)
        } else {
            leaving[user] = nil
            change(user, isOnline: false, at: now, news: &news)
        }
    }

    private mutating func change(_ user: Identifier, isOnline: Bool, at now: Int64, news: inout ChatNews) {
        let state = ChatPresenceState(user: user, isOnline: isOnline, time: now)
        changes[user] = state
        touched?.insert(user)
        guard let watchers = watchers[user] else { return }
        news.presence.append(ChatPresenceEvent(state: state, watchers: watchers.sorted()))
    }

    // MARK: Watching

    func subscriptions(of watcher: Identifier) -> [ChatDocument.Subscription] {
        (subscriptions[watcher]?.values).map { $0.sorted { $0.user < $1.user } } ?? []
    }

    func count(of watcher: Identifier) -> Int { subscriptions[watcher]?.count ?? 0 }
    func watcherCount(of user: Identifier) -> Int { watchers[user]?.count ?? 0 }
    func isWatching(_ watcher: Identifier, _ user: Identifier) -> Bool { subscriptions[watcher]?[user] != nil }

    mutating func put(_ subscription: ChatDocument.Subscription, into commit: inout ChatCommit) {
        restore(subscription)
        commit.documents.append(.subscription(subscription))
    }

    mutating func remove(_ watcher: Identifier, _ user: Identifier, into commit: inout ChatCommit) {
        guard subscriptions[watcher]?.removeValue(forKey: user) != nil else { return }
        if subscriptions[watcher]?.isEmpty == true { subscriptions[watcher] = nil }
        watchers[user]?.remove(watcher)
        if watchers[user]?.isEmpty == true { watchers[user] = nil }
        commit.removedDocuments.append(.subscription(watcher: watcher, user: user))
    }

    mutating func sweep(at now: Int64, devices: ChatDevices, into commit: inout ChatCommit, news: inout ChatNews) {
        let time = steadyTime ?? now
        if !leaving.isEmpty {
            for (user, end) in leaving.filter({ $0.value.deadline <= time }).sorted(by: { $0.key < $1.key }) {
                leaving[user] = nil
                touched?.insert(user)
                if !devices.isOnline(user) { change(user, isOnline: false, at: end.since, news: &news) }
            }
        }
        guard time >= nextHousekeeping else { return }
        nextHousekeeping = time + 60_000
        var ended: [ChatDocument.Subscription] = []
        for watched in subscriptions.values {
            for subscription in watched.values where subscription.expires <= now { ended.append(subscription) }
        }
        for subscription in ended { remove(subscription.watcher, subscription.user, into: &commit) }
        for (user, state) in changes where !state.isOnline && state.time <= now - Self.memory {
            changes[user] = nil
            touched?.insert(user)
        }
    }

    // MARK: Documents

    mutating func restore(_ subscription: ChatDocument.Subscription) {
        subscriptions[subscription.watcher, default: [:]][subscription.user] = subscription
        watchers[subscription.user, default: []].insert(subscription.watcher)
    }

    // MARK: Taking over from another server

    func live(_ user: Identifier) -> ChatLive.Presence? {
        guard changes[user] != nil || leaving[user] != nil else { return nil }
        return ChatLive.Presence(
            state: state(of: user), leaving: leaving[user].map { .init(deadline: $0.deadline, since: $0.since) })
    }

    /// Restores the online status of users. Users who are recorded as online but have no session get the grace period to reconnect.
    mutating func restore(_ live: [ChatLive.Presence], devices: ChatDevices, grace: Duration, at now: Int64) {
        // The deadline may come from another machine's clock, so it is limited to at most one grace period from now.
        let latest = (steadyTime ?? now) + max(grace.wholeMilliseconds, 0)
        for one in live {
            let user = one.state.user
            changes[user] = one.state
            guard one.state.isOnline, !devices.isOnline(user) else { continue }
            leaving[user] = (min(one.leaving?.deadline ?? latest, latest), one.leaving?.since ?? now)
        }
    }

    var documents: [ChatDocument] { subscriptions.values.flatMap { $0.values.map { .subscription($0) } } }
}

extension ChatState {
    /// Subscribes `watcher` to users' online status for `expiry` seconds, and returns their current status.
    ///
    /// - Returns: the users whose subscription would exceed a limit (26021, 26022), and the status of all other users who do not block the
    ///   watcher.
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func subscribe(
        to users: [Identifier], expiry: Int, by watcher: Identifier, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> (failed: [Identifier], states: [ChatPresenceState]) {
        guard application.hasPresence else {
            throw ChatRefusal(ChatCode.presenceOff, "Online status is switched off for this application.")
        }
        let limits = application.limits
        try ChatID.check(users, "a user", limit: limits.presencePerCall)
        guard (60...2_592_000).contains(expiry) else { throw .badArgument("expiry is 60 to 2,592,000 seconds.") }
        var failed: [Identifier] = []
        var states: [ChatPresenceState] = []
        for user in users {
            let isNew = !presence.isWatching(watcher, user)
            if isNew,
                presence.count(of: watcher) >= limits.presencePerUser
                    || presence.watcherCount(of: user) >= limits.presenceSubscribers
            {
                failed.append(user)
                continue
            }
            presence.put(
                ChatDocument.Subscription(watcher: watcher, user: user, subscribed: now, expires: now + Int64(expiry) * 1_000),
                into: &commit)
            if !isBlocked(watcher, by: user) { states.append(presence.state(of: user)) }
        }
        return (failed, states)
    }

    /// Ends subscriptions to users' online status.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func unsubscribe(
        from users: [Identifier], by watcher: Identifier, into commit: inout ChatCommit
    ) throws(ChatRefusal) {
        try ChatID.check(users, "a user", limit: application.limits.presencePerCall)
        for user in users { presence.remove(watcher, user, into: &commit) }
    }

    /// The users whom a user watches, sorted by id.
    package func subscriptions(of watcher: Identifier, at now: Int64) -> [ChatDocument.Subscription] {
        presence.subscriptions(of: watcher).filter { $0.expires > now }
    }

    /// Returns the status of the users whom a user watches, for the user's new session.
    package func presenceStates(for watcher: Identifier, at now: Int64) -> [ChatPresenceState] {
        guard application.hasPresence else { return [] }
        return subscriptions(of: watcher, at: now).filter { !isBlocked(watcher, by: $0.user) }.map { presence.state(of: $0.user) }
    }

    /// Reports `user` as offline to watchers whom `user` has just blocked, unless offline was already reported to them (rule CH-88).
    package func presenceNews(afterBlocking others: [Identifier], by user: Identifier, at now: Int64) -> ChatNews {
        guard presence.state(of: user).isOnline else { return ChatNews() }
        return presenceNews(ChatPresenceState(user: user, isOnline: false, time: now), for: others)
    }

    /// Reports the online status of `user` to watchers whom `user` has just unblocked.
    package func presenceNews(afterUnblocking others: [Identifier], by user: Identifier) -> ChatNews {
        presenceNews(presence.state(of: user), for: others)
    }

    private func presenceNews(_ state: ChatPresenceState, for others: [Identifier]) -> ChatNews {
        var news = ChatNews()
        let watchers = Set(others).filter { presence.isWatching($0, state.user) }.sorted()
        if !watchers.isEmpty { news.presence.append(ChatPresenceEvent(state: state, watchers: watchers)) }
        return news
    }

    /// Removes from the notifications those watchers whom the watched user has blocked (rule CH-88).
    func hidePresenceFromBlocked(_ news: inout ChatNews) {
        for index in news.presence.indices {
            let user = news.presence[index].state.user
            guard restrictions.count(.blocked, .user(user)) > 0 else { continue }
            news.presence[index].watchers.removeAll { isBlocked($0, by: user) }
        }
        news.presence.removeAll(where: \.watchers.isEmpty)
    }

    private func isBlocked(_ other: Identifier, by user: Identifier) -> Bool {
        restrictions.contains(.blocked, in: .user(user), user: other, at: .min)
    }

    /// Returns the status of a user, as reported to other users.
    package func presenceState(of user: Identifier) -> ChatPresenceState { presence.state(of: user) }
}
