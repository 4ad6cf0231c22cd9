import Identifiers
import ServerStorage

// Open channels: entering, leaving and metadata (rules CH-60 to CH-68).
extension ChatState {
    /// Creates an open channel. A channel that exists already stays unchanged.
    ///
    /// - Parameters:
    ///   - id: the id of the channel.
    ///   - lifetime: the time in ms without participants and messages after which the channel is removed; nil for never.
    ///   - now: the current time, in milliseconds since 1970.
    ///   - commit: receives the changes to store.
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func createOpenChannel(
        _ id: Identifier, lifetime: Int64? = nil, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatDocument.OpenChannel {
        try ChatID.check(id, "the open channel")
        if let known = rooms[id] { return known }
        try checkRoomForOpenChannel()
        let channel = ChatDocument.OpenChannel(id: id, created: now, lifetime: lifetime)
        rooms.create(channel, at: now, into: &commit)
        return channel
    }

    /// Adds a session to an open channel. The channel is created if it does not exist and the application allows this.
    ///
    /// Entering again changes nothing. Reconnecting within the grace period sends no event to other participants. The caller must start
    /// delivering the channel's messages to the session before it delivers the events of `news`.
    ///
    /// - Throws: ``ChatRefusal``, with the reason: for example 23409 for a banned user, 23410 for an unknown channel, 23437 for a long
    ///   `extra`.
    package mutating func enterOpenChannel(
        _ id: Identifier, extra: String? = nil, session: ChatSessionID, user: Identifier, at now: Int64,
        into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatEntrance {
        try ChatID.check(id, "the open channel")
        guard extra?.count ?? 0 <= 128 else {
            throw ChatRefusal(ChatCode.entranceTooLong, "`extra` may have at most 128 characters.")
        }
        let scope = ChatRestrictions.Scope.channel(.open, id)
        guard !restrictions.contains(.barred, in: scope, user: user, at: now) else { throw Self.barred }
        if rooms[id] == nil {
            guard application.createsOpenChannels else { throw Self.noSuchOpenChannel }
            try checkRoomForOpenChannel()
            let share = application.limits.openChannelsMadePerUser
            guard rooms.madeCount(by: user) < share else {
                throw .badArgument(
                    "The user has created \(share) open channels by entering, the most that one user may create: enter an existing channel."
                )
            }
        }
        let (own, limit) = (rooms.channels(of: user), application.limits.openChannelsPerUser)
        guard own.count < limit || own.contains(id) || !application.allowsManyOpenChannels else {
            throw .badArgument("A user may be in at most \(limit) open channels.")
        }
        if rooms[id] == nil {
            let channel = ChatDocument.OpenChannel(id: id, created: now, lifetime: ChatRooms.lifetime, creator: user)
            rooms.create(channel, at: now, into: &commit)
        }
        guard let channel = rooms[id] else { throw Self.noSuchOpenChannel }
        var news = ChatNews()
        var left: [Identifier] = []
        if !application.allowsManyOpenChannels {
            left = rooms.channels(of: user).filter { $0 != id }.sorted()
            for other in left {
                rooms.leave(user, other, at: now, into: &commit, news: &news)
                sync(other, of: user, session: session, isJoin: false, isOtherDevice: true, news: &news)
            }
        }
        let wasSeated = rooms.isSeated(id, session: session, user: user)
        rooms.enter(session, of: user, room: id, at: now, news: &news)
        if !wasSeated { sync(id, of: user, session: session, isJoin: true, isOtherDevice: true, news: &news) }
        return ChatEntrance(
            channel: channel, count: rooms.count(of: id), entered: rooms.entered(id, user) ?? now,
            isMuted: restrictions.contains(.muted, in: .all(.open), user: user, at: now),
            isMutedHere: restrictions.contains(.muted, in: scope, user: user, at: now),
            isAllowed: restrictions.contains(.allowed, in: scope, user: user, at: now), entries: rooms.entries(of: id),
            left: left,
            news: news)
    }

    private func checkRoomForOpenChannel() throws(ChatRefusal) {
        guard rooms.rooms.count < application.limits.openChannels else {
            throw .badArgument("The application has reached its limit of \(application.limits.openChannels) open channels.")
        }
    }

    /// Removes a session from an open channel. The user leaves with the last session. Throws 23406 when the session is not in the channel.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func exitOpenChannel(
        _ id: Identifier, session: ChatSessionID, user: Identifier, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatNews {
        try checkInside(id, user, at: now)
        var news = ChatNews()
        if !rooms.exit(session, of: user, room: id, at: now, into: &commit, news: &news) {
            guard rooms.isWaited(id, user) else {
                throw ChatRefusal(ChatCode.notInOpenChannel, "The user is not in the open channel.")
            }
            rooms.leave(user, id, at: now, into: &commit, news: &news)
        }
        sync(id, of: user, session: session, isJoin: false, isOtherDevice: false, news: &news)
        return news
    }

    /// Notifies the user's other devices that this device has entered or left.
    private func sync(
        _ id: Identifier, of user: Identifier, session: ChatSessionID, isJoin: Bool, isOtherDevice: Bool, news: inout ChatNews
    ) {
        let others = sessions(of: user).filter { $0.id != session.id }
        guard !others.isEmpty else { return }
        news.syncs.append(ChatOpenSync(channel: id, isJoin: isJoin, isOtherDevice: isOtherDevice, sessions: others))
    }

    // MARK: Queries

    /// The open channel with this id; nil when it does not exist.
    package func openChannel(_ id: Identifier) -> ChatDocument.OpenChannel? { rooms[id] }

    /// The number of existing open channels.
    package var openChannelCount: Int { rooms.rooms.count }

    /// The ids of all open channels, sorted.
    package func openChannels() -> [Identifier] { rooms.rooms.keys.sorted() }

    /// A page of open channels, sorted by id.
    ///
    /// - Parameters:
    ///   - prefix: the beginning of the channels' ids.
    ///   - after: the last id of the previous page; nil for the first page.
    ///   - limit: the largest number of channels.
    package func openChannels(prefix: String, after: Identifier?, limit: Int) -> [Identifier] {
        var found: [Identifier] = []
        for id in rooms.rooms.keys where id.text.utf8.starts(with: prefix.utf8) && after.map({ id > $0 }) ?? true {
            found.append(id)
            // Sorting the list whenever it has four times the needed length costs less than sorting all channels.
            if found.count >= 4 * limit { found = Array(found.sorted().prefix(limit)) }
        }
        return Array(found.sorted().prefix(limit))
    }

    /// The number of an open channel's participants; 0 if the channel does not exist.
    package func participantCount(of id: Identifier) -> Int { rooms.count(of: id) }

    /// Whether a user is in an open channel.
    package func isParticipant(_ user: Identifier, of id: Identifier) -> Bool { rooms.isInside(id, user) }

    /// The event loops that have sessions in an open channel; nil when the channel does not exist.
    package func openEventLoopIDs(of id: Identifier) -> EventLoopSet? { rooms.eventLoopIDs(of: id) }

    /// The participants who have been in an open channel longest, at most `limit` (0 to 500).
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func participants(of id: Identifier, limit: Int) throws(ChatRefusal) -> [ChatParticipant] {
        guard rooms[id] != nil else { throw Self.noSuchOpenChannel }
        guard (0...500).contains(limit) else { throw .badArgument("limit is 0 to 500.") }
        return rooms.participants(of: id, limit: limit)
    }

    /// The participants who have been in an open channel longest. The requesting user need not be in the channel. Throws 23409 for a user
    /// who is banned from it.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func participants(
        of id: Identifier, limit: Int, by actor: ChatActor, at now: Int64
    ) throws(ChatRefusal) -> [ChatParticipant] {
        // CH-77
        guard actor.isServer || !restrictions.contains(.barred, in: .channel(.open, id), user: actor.user, at: now) else {
            throw Self.barred
        }
        return try participants(of: id, limit: limit)
    }

    // MARK: Metadata

    /// The metadata of an open channel.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func openEntries(
        of id: Identifier, by actor: ChatActor, at now: Int64
    ) throws(ChatRefusal) -> [ChatDocument.OpenEntry] {
        try checkInside(id, actor, at: now)
        return rooms.entries(of: id)
    }

    /// Sets 1 to 10 metadata entries of an open channel: all of them, or none if it throws.
    ///
    /// - Parameters:
    ///   - pairs: the entries to set.
    ///   - id: the id of the channel.
    ///   - overwrites: whether entries of other users may be replaced.
    ///   - areDeletedWhenLeft: whether the entries of `pairs` are deleted when their author (`actor`) leaves the channel.
    ///   - actor: the author of the request.
    ///   - now: the current time, in milliseconds since 1970.
    ///   - commit: receives the changes to store.
    /// - Throws: ``ChatRefusal``, with the reason: for example 23423 if the channel has too many entries, 23424 for another user's entry,
    ///   23429 for more than 10 entries.
    package mutating func setOpenEntries(
        _ pairs: [Identifier: String], in id: Identifier, overwrites: Bool, areDeletedWhenLeft: Bool, by actor: ChatActor,
        at now: Int64,
        into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatNews {
        try checkInside(id, actor, at: now)
        if !actor.isServer { try checkSpeaking(.open, id, by: actor.user, at: now) }
        guard (1...10).contains(pairs.count) else {
            throw ChatRefusal(ChatCode.tooManyEntriesInCall, "1 to 10 metadata entries can be set at a time.")
        }
        guard pairs.allSatisfy({ (1...128).contains($0.key.utf8.count) && $0.value.utf8.count <= 4_096 }) else {
            throw .badArgument("A metadata key must have 1 to 128 bytes, and a metadata value at most 4,096 bytes.")
        }
        let known = rooms.rooms[id]?.entries ?? [:]
        guard known.count + pairs.keys.filter({ known[$0] == nil }).count <= application.limits.openEntries else {
            throw ChatRefusal(
                ChatCode.tooManyEntries, "An open channel may have at most \(application.limits.openEntries) metadata entries.")
        }
        let kept = known.values.reduce(0) { $0 + (pairs[$1.key] == nil ? $1.key.utf8.count + $1.value.utf8.count : 0) }
        let bytes = pairs.reduce(kept) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard bytes <= application.limits.openEntryBytes else {
            throw ChatRefusal(
                ChatCode.tooManyEntries,
                "All metadata of an open channel together may have at most \(application.limits.openEntryBytes) bytes.")
        }
        guard overwrites || actor.isServer || pairs.keys.allSatisfy({ known[$0].map { $0.owner == actor.user } ?? true }) else {
            throw ChatRefusal(
                ChatCode.notEntryOwner,
                "Another user has set one of the metadata entries: overwrite it explicitly, or use another key.")
        }
        let entries = pairs.sorted { $0.key < $1.key }.map {
            ChatDocument.OpenEntry(
                channel: id, key: $0.key, value: $0.value, owner: actor.user, isDeletedWhenLeft: areDeletedWhenLeft)
        }
        var news = ChatNews()
        rooms.put(entries, in: id, at: now, into: &commit, news: &news)
        return news
    }

    /// Removes 1 to 10 metadata entries of an open channel: all of them, or none if it throws.
    ///
    /// - Throws: ``ChatRefusal``, with the reason: for example 23424 for another user's entry, 23427 for an unknown key, 23429 for more
    ///   than 10 keys.
    package mutating func deleteOpenEntries(
        _ keys: [Identifier], in id: Identifier, force: Bool, by actor: ChatActor, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatNews {
        try checkInside(id, actor, at: now)
        if !actor.isServer { try checkSpeaking(.open, id, by: actor.user, at: now) }
        guard (1...10).contains(keys.count) else {
            throw ChatRefusal(ChatCode.tooManyEntriesInCall, "1 to 10 metadata entries can be removed at a time.")
        }
        let known = rooms.rooms[id]?.entries ?? [:]
        for key in keys {
            guard let entry = known[key] else {
                throw ChatRefusal(ChatCode.noSuchEntry, "The open channel has no metadata entry with this key.")
            }
            guard force || actor.isServer || entry.owner == actor.user else {
                throw ChatRefusal(
                    ChatCode.notEntryOwner,
                    "Another user has set one of the metadata entries: force the deletion, or leave the entry out.")
            }
        }
        var news = ChatNews()
        rooms.remove(Set(keys).sorted(), from: id, at: now, into: &commit, news: &news)
        return news
    }

    private func checkInside(_ id: Identifier, _ actor: ChatActor, at now: Int64) throws(ChatRefusal) {
        guard actor.isServer else { return try checkInside(id, actor.user, at: now) }
        guard rooms[id] != nil else { throw Self.noSuchOpenChannel }
    }
}
