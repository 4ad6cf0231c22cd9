import Identifiers
import ServerStorage

// Tokens, users and their restrictions (rules CH-3 to CH-13).
extension ChatState {
    /// Registers a user, or updates the user's name and avatar, and stores a new token of the user.
    ///
    /// - Parameters:
    ///   - hash: the SHA-256 of the token, in hex. The caller generates the token; only the hash is stored.
    ///   - user: the user's id.
    ///   - name: the user's name; nil does not change it.
    ///   - avatar: the address of the user's picture; nil does not change it.
    ///   - now: the current time, in milliseconds since 1970.
    ///   - commit: receives the changes to store.
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func issueToken(
        hash: Identifier, to user: Identifier, name: String?, avatar: String?, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) {
        try ChatID.check(user, "a user")
        try checkRoom(forUsers: CollectionOfOne(user))
        directory.put(user, name: name, avatar: avatar, at: now, into: &commit)
        let lifetime = application.tokenLifetime.map { now + max($0.wholeMilliseconds, 0) }
        directory.add(ChatDocument.Token(token: hash, user: user, issued: now, expires: lifetime), into: &commit)
    }

    /// Checks the token with which a user wants to connect.
    ///
    /// - Throws: ``ChatRefusal``, with code 31004 (not valid), 31009 (banned), 31020 (expired) or 31029 (deactivated).
    package func checkToken(hash: Identifier, at now: Int64) throws(ChatRefusal) -> ChatDocument.Token {
        let token = try directory.check(hash, at: now)
        guard !restrictions.contains(.banned, in: .everywhere, user: token.user, at: now) else {
            throw ChatRefusal(ChatCode.userBanned, "The application's server has banned the user for a limited time.")
        }
        return token
    }

    /// Revokes all tokens of users that were issued before a time.
    ///
    /// - Returns: the sessions that use a revoked token, to be ended with 31020.
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func expireTokens(
        of users: [Identifier], issuedBefore instant: Int64, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> [ChatSessionID] {
        try ChatID.check(users, "a user", limit: 1_000)
        try checkRoom(forUsers: users)
        var ended: [ChatSessionID] = []
        for id in users {
            var user = directory.users[id] ?? ChatDocument.User(id: id, created: now)
            guard user.tokensExpireBefore ?? .min < instant else { continue }
            user.tokensExpireBefore = instant
            directory.save(user, into: &commit)
            ended += devices.devices(of: id).filter { $0.tokenIssued < instant }.map(\.session)
        }
        return ended
    }

    /// Bans users from connecting for 1 to 43,200 minutes.
    ///
    /// - Returns: the users' sessions, to be ended with 31011.
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func ban(
        _ users: [Identifier], minutes: Int, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> [ChatSessionID] {
        try ChatID.check(users, "a user", limit: 20)
        let until = try Self.end(minutes: minutes, at: now)
        for user in users { restrictions.insert(.banned, in: .everywhere, user: user, until: until, into: &commit) }
        return users.flatMap { devices.devices(of: $0).map(\.session) }
    }

    /// Ends the ban of users.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func unban(_ users: [Identifier], into commit: inout ChatCommit) throws(ChatRefusal) {
        try ChatID.check(users, "a user", limit: 20)
        for user in users { restrictions.remove(.banned, in: .everywhere, user: user, into: &commit) }
    }

    /// A page of banned users, sorted by id. `page` counts from 1.
    package func banned(page: Int, size: Int, at now: Int64) -> [ChatDocument.Restriction] {
        Self.page(restrictions.list(.banned, .everywhere, at: now), number: page, size: size)
    }

    /// Deactivates the accounts of users.
    ///
    /// - Returns: the users' sessions, to be ended with 31029.
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func deactivate(
        _ users: [Identifier], at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> [ChatSessionID] {
        try setDeactivated(true, users, at: now, into: &commit)
        return users.flatMap { devices.devices(of: $0).map(\.session) }
    }

    /// Activates deactivated users again.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func reactivate(
        _ users: [Identifier], at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) {
        try setDeactivated(false, users, at: now, into: &commit)
    }

    /// A page of deactivated users, sorted by id. `page` counts from 1.
    package func deactivated(page: Int, size: Int) -> [ChatDocument.User] {
        let all = directory.users.values.filter(\.isDeactivated).sorted { $0.id < $1.id }
        return Self.page(all, number: page, size: size)
    }

    private mutating func setDeactivated(
        _ value: Bool, _ users: [Identifier], at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) {
        try ChatID.check(users, "a user")
        try checkRoom(forUsers: users)
        for id in users {
            var user = directory.users[id] ?? ChatDocument.User(id: id, created: now)
            guard user.isDeactivated != value else { continue }
            user.isDeactivated = value
            directory.save(user, into: &commit)
        }
    }

    /// The registered user with this id; nil when there is none.
    package func user(_ id: Identifier) -> ChatDocument.User? { directory.users[id] }

    /// The number of registered users.
    package var userCount: Int { directory.users.count }

    /// Changes those fields of a user that are not nil. A client may change only its own user. Throws 24366 for a user who is not
    /// registered.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func updateUser(
        _ id: Identifier, name: String?, avatar: String?, extra: [String: String]?, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) {
        guard directory.users[id] != nil else { throw ChatRefusal(ChatCode.noSuchUser, "No user with this id is registered.") }
        guard name?.utf8.count ?? 0 <= 256, avatar?.utf8.count ?? 0 <= 1_024, extra?.count ?? 0 <= 100,
            extra?.allSatisfy({ $0.key.utf8.count <= 32 && $0.value.utf8.count <= 4_096 }) ?? true
        else {
            throw .badArgument(

                "A name may have at most 256 bytes, and an avatar 1,024. A user may have 100 other values of 4,096 bytes, "
                    + "with keys of 32 bytes.")
        }
        guard extra?.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) ?? 0 <= application.limits.userBytes else {
            throw .badArgument("All values of a user together may have at most \(application.limits.userBytes) bytes.")
        }
        directory.put(id, name: name, avatar: avatar, extra: extra, at: now, into: &commit)
    }

    /// Checks that registering those users who are new does not exceed the application's limit of users (rule CH-104).
    private func checkRoom(forUsers users: some Collection<Identifier>) throws(ChatRefusal) {
        let room = application.limits.users - directory.users.count
        guard users.count > room, users.count(where: { directory.users[$0] == nil }) > max(room, 0) else { return }
        throw .badArgument("The application has reached its limit of \(application.limits.users) users.")
    }

    /// Checks that creating inboxes for users who have none does not exceed the limit. Throws 24366 if it does (rule CH-105).
    ///
    /// The number of inboxes without a registered user is limited, because users may send messages to any user id, and a message to an
    /// unknown user waits in a new inbox.
    func checkRoom(forInboxesOf users: some Collection<Identifier>) throws(ChatRefusal) {
        let room = directory.users.count + application.limits.unregisteredInboxes - inboxes.count
        guard users.count > room else { return }
        let strangers = users.count { directory.users[$0] == nil && !inboxes.contains($0) }
        guard strangers > max(room, 0) else { return }
        throw ChatRefusal(
            ChatCode.noSuchUser,
            "The user is not registered, and the application has reached its limit of inboxes for unregistered users.")
    }

    /// Counts the inboxes to create for unregistered users against the sender's share. Throws 24366 if this exceeds the share (rule
    /// CH-108).
    mutating func takeShare(ofInboxes users: some Collection<Identifier>, by user: Identifier) throws(ChatRefusal) {
        let strangers = users.filter { directory.users[$0] == nil && !inboxes.contains($0) }
        guard !strangers.isEmpty else { return }
        let share = application.limits.unregisteredInboxesPerUser
        var made = strangersInboxes[user] ?? []
        made.formUnion(strangers)
        // Users who have registered since they were counted no longer count as unregistered.
        if made.count > share { made = made.filter { directory.users[$0] == nil } }
        guard made.count <= share else {
            throw ChatRefusal(
                ChatCode.noSuchUser,
                "The user is not registered, and the requesting user has already contacted \(share) unregistered users, "
                    + "the most allowed.")
        }
        strangersInboxes[user] = made
    }

    // MARK: Blocking

    /// Blocks users: their messages to `user` are refused with 405 from now on.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func block(_ others: [Identifier], by user: Identifier, into commit: inout ChatCommit) throws(ChatRefusal) {
        try ChatID.check(others, "a user")
        guard restrictions.count(.blocked, .user(user)) + others.count <= Self.blockedPerUser else {
            throw .badArgument("A user may block at most \(Self.blockedPerUser) other users.")
        }
        for other in others where !restrictions.contains(.blocked, in: .user(user), user: other, at: .min) {
            restrictions.insert(.blocked, in: .user(user), user: other, until: nil, into: &commit)
        }
    }

    /// Removes users from a user's blocklist.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func unblock(_ others: [Identifier], by user: Identifier, into commit: inout ChatCommit) throws(ChatRefusal)
    {
        try ChatID.check(others, "a user")
        for other in others { restrictions.remove(.blocked, in: .user(user), user: other, into: &commit) }
    }

    /// The users whom a user has blocked, sorted by id.
    package func blocked(by user: Identifier) -> [Identifier] {
        restrictions.list(.blocked, .user(user), at: .min).map(\.user)
    }

    // MARK: Muting in all channels of a kind

    /// Mutes users in all channels of a kind for a number of minutes; nil mutes them without an end.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func mute(
        _ users: [Identifier], in kind: ChatKind, minutes: Int? = nil, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatNews {
        try ChatID.check(users, "a user")
        let until = try minutes.map { minutes throws(ChatRefusal) in try Self.end(minutes: minutes, at: now) }
        for user in users { restrictions.insert(.muted, in: .all(kind), user: user, until: until, into: &commit) }
        return kind == .open ? rooms.tell(of: .muteGlobal, users, duration: until.map { $0 - now } ?? 0, at: now) : ChatNews()
    }

    /// Ends the muting of users in all channels of a kind.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func unmute(
        _ users: [Identifier], in kind: ChatKind, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatNews {
        try ChatID.check(users, "a user")
        for user in users { restrictions.remove(.muted, in: .all(kind), user: user, into: &commit) }
        return kind == .open ? rooms.tell(of: .unmuteGlobal, users, duration: 0, at: now) : ChatNews()
    }

    /// The users who are muted in all channels of a kind.
    package func muted(in kind: ChatKind, at now: Int64) -> [ChatDocument.Restriction] {
        restrictions.list(.muted, .all(kind), at: now)
    }

    // MARK: Limits and pages

    static let blockedPerUser = 3_000

    static func end(minutes: Int, at now: Int64) throws(ChatRefusal) -> Int64 {
        guard (1...43_200).contains(minutes) else { throw .badArgument("The duration must be 1 to 43,200 minutes.") }
        return now + Int64(minutes) * 60_000
    }

    static func page<Element>(_ all: [Element], number: Int, size: Int) -> [Element] {
        let (start, overflow) = (max(number, 1) - 1).multipliedReportingOverflow(by: max(size, 1))
        guard !overflow, start < all.count else { return [] }
        return Array(all.dropFirst(start).prefix(max(size, 1)))
    }
}

extension Duration {
    var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }
}
