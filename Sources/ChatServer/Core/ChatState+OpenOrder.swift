import ChatProtocol
import Identifiers
import ServerStorage

// Open channels: changes that only the application's server may make (rules CH-69 to CH-74).
extension ChatState {
    /// Destroys an open channel with all its data.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func destroyOpenChannel(
        _ id: Identifier, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatNews {
        guard rooms[id] != nil else { throw Self.noSuchOpenChannel }
        var news = ChatNews()
        rooms.destroy(id, isManual: true, restrictions: &restrictions, at: now, into: &commit, news: &news)
        return news
    }

    /// Sets the time in ms without activity after which an open channel is removed; nil for never.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func setLifetime(
        _ lifetime: Int64?, of id: Identifier, into commit: inout ChatCommit
    ) throws(ChatRefusal) {
        guard var channel = rooms[id] else { throw Self.noSuchOpenChannel }
        guard channel.lifetime != lifetime || channel.creator != nil else { return }
        channel.lifetime = lifetime
        // The channel no longer counts as made by its first user, because from now on the application's server decides when the channel is
        // removed.
        channel.creator = nil
        rooms.update(channel, into: &commit)
    }

    /// Mutes users in one open channel for a number of minutes; nil mutes them without an end.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func muteInOpenChannel(
        _ id: Identifier, users: [Identifier], minutes: Int? = nil, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatNews {
        try restrict(.muted, muting: .muteUsers, in: id, users: users, minutes: minutes, at: now, into: &commit)
    }

    /// Ends the muting of users in one open channel.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func unmuteInOpenChannel(
        _ id: Identifier, users: [Identifier], at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatNews {
        try lift(.muted, muting: .unmuteUsers, in: id, users: users, at: now, into: &commit)
    }

    /// Allows users to send messages in an open channel while all users are muted there.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func allowInOpenChannel(
        _ id: Identifier, users: [Identifier], at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatNews {
        try restrict(.allowed, muting: .addAllowlist, in: id, users: users, minutes: nil, at: now, into: &commit)
    }

    /// Removes users from an open channel's allowlist.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func disallowInOpenChannel(
        _ id: Identifier, users: [Identifier], at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatNews {
        try lift(.allowed, muting: .removeAllowlist, in: id, users: users, at: now, into: &commit)
    }

    /// Mutes all users of an open channel, except for those on its allowlist.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func setAllMuted(
        _ isMuted: Bool, in id: Identifier, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatNews {
        guard var channel = rooms[id] else { throw Self.noSuchOpenChannel }
        var news = ChatNews()
        guard channel.isMuted != isMuted else { return news }
        channel.isMuted = isMuted
        rooms.update(channel, into: &commit)
        rooms.tell(id, .muting(isMuted ? .muteAll : .unmuteAll, users: [], duration: 0), at: now, news: &news)
        return news
    }

    /// Removes users from an open channel and bans them.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func barFromOpenChannel(
        _ id: Identifier, users: [Identifier], minutes: Int? = nil, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatNews {
        let until = try checkOrder(id, users, minutes: minutes, at: now)
        var news = ChatNews()
        for user in users { restrictions.insert(.barred, in: .channel(.open, id), user: user, until: until, into: &commit) }
        rooms.tell(id, .banned(users, duration: until.map { $0 - now } ?? 0), at: now, news: &news)
        for user in users { rooms.leave(user, id, at: now, into: &commit, news: &news) }
        return news
    }

    /// Ends the ban of users from an open channel.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func unbarFromOpenChannel(
        _ id: Identifier, users: [Identifier], at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) {
        _ = try checkOrder(id, users, minutes: nil, at: now)
        for user in users { restrictions.remove(.barred, in: .channel(.open, id), user: user, into: &commit) }
    }

    /// The muted, allowed or banned users of an open channel, sorted by id.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func restricted(
        _ kind: ChatDocument.Restriction.Kind, inOpenChannel id: Identifier, at now: Int64
    ) throws(ChatRefusal) -> [ChatDocument.Restriction] {
        guard rooms[id] != nil else { throw Self.noSuchOpenChannel }
        return restrictions.list(kind, .channel(.open, id), at: now)
    }

    private mutating func restrict(
        _ kind: ChatDocument.Restriction.Kind, muting: ChatOpenMute.Kind, in id: Identifier, users: [Identifier],
        minutes: Int?,
        at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatNews {
        let until = try checkOrder(id, users, minutes: minutes, at: now)
        for user in users { restrictions.insert(kind, in: .channel(.open, id), user: user, until: until, into: &commit) }
        var news = ChatNews()
        rooms.tell(id, .muting(muting, users: users, duration: until.map { $0 - now } ?? 0), at: now, news: &news)
        return news
    }

    private mutating func lift(
        _ kind: ChatDocument.Restriction.Kind, muting: ChatOpenMute.Kind, in id: Identifier, users: [Identifier],
        at now: Int64,
        into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatNews {
        _ = try checkOrder(id, users, minutes: nil, at: now)
        var news = ChatNews()
        let lifted = users.filter { restrictions.remove(kind, in: .channel(.open, id), user: $0, into: &commit) }
        if !lifted.isEmpty { rooms.tell(id, .muting(muting, users: lifted, duration: 0), at: now, news: &news) }
        return news
    }

    private func checkOrder(
        _ id: Identifier, _ users: [Identifier], minutes: Int?, at now: Int64
    ) throws(ChatRefusal) -> Int64? {
        guard rooms[id] != nil else { throw Self.noSuchOpenChannel }
        try ChatID.check(users, "a user")
        guard let minutes else { return nil }
        return try Self.end(minutes: minutes, at: now)
    }
}
