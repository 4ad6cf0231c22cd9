import Identifiers
import ServerStorage

// Open channels: entering and leaving, metadata (rules CH-60 to CH-68).
extension ChatState {
    /// Creates an open channel; an existing channel stays unchanged.
    ///
    /// - Parameters:
    ///   - id: the id.
    ///   - lifetime: the time in ms without participants and messages after which the channel is removed; nil for never.
    ///   - now: the time, milliseconds since 1970.
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

    /// A session enters an open channel: 23409, 23410 or 23437 otherwise.
    ///
    /// Entering again changes nothing, and reconnecting within the grace period sends no event to other participants. The session
    /// has to be attached before the events of `news` are delivered.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
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
                    "The user has made \(share) open channels by entering, which is the share of one user: enter one that exists."
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

    /// A session leaves an open channel; the user leaves with the last session. Throws 23406 when the session is not in the channel.
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

    /// Notifies the user's other devices that this device entered or left.
    private func sync(
        _ id: Identifier, of user: Identifier, session: ChatSessionID, isJoin: Bool, isOtherDevice: Bool, news: inout ChatNews
    ) {
        let others = sessions(of: user).filter { $0.id != session.id }
        guard !others.isEmpty else { return }
        news.syncs.append(ChatOpenSync(channel: id, isJoin: isJoin, isOtherDevice: isOtherDevice, sessions: others))
    }

    // MARK: Queries

    /// An open channel; nil when there is none.
    package func openChannel(_ id: Identifier) -> ChatDocument.OpenChannel? { rooms[id] }

    /// How many open channels there are.
    package var openChannelCount: Int { rooms.rooms.count }

    /// The ids of all open channels, sorted.
    package func openChannels() -> [Identifier] { rooms.rooms.keys.sorted() }

    /// The first open channels, sorted by id.
    ///
    /// - Parameters:
    ///   - prefix: the beginning of their ids.
    ///   - after: the last id of the previous page.
    ///   - limit: the largest number of channels.
    package func openChannels(prefix: String, after: Identifier?, limit: Int) -> [Identifier] {
        var found: [Identifier] = []
        for id in rooms.rooms.keys where id.text.utf8.starts(with: prefix.utf8) && after.map({ id > $0 }) ?? true {
            found.append(id)
            // Sorting a longer list occasionally costs less than sorting all channels.
            if found.count >= 4 * limit { found = Array(found.sorted().prefix(limit)) }
        }
        return Array(found.sorted().prefix(limit))
    }

    /// How many participants an open channel has.
    package func participantCount(of id: Identifier) -> Int { rooms.count(of: id) }

    /// Whether a user is in an open channel.
    package func isParticipant(_ user: Identifier, of id: Identifier) -> Bool { rooms.isInside(id, user) }

    /// The event loops of the participants; nil when there is no such channel.
    package func openEventLoopIDs(of id: Identifier) -> EventLoopSet? { rooms.eventLoopIDs(of: id) }

    /// The participants who have been in the channel longest, at most 500.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func participants(of id: Identifier, limit: Int) throws(ChatRefusal) -> [ChatParticipant] {
        guard rooms[id] != nil else { throw Self.noSuchOpenChannel }
        guard (0...500).contains(limit) else { throw .badArgument("limit is 0 to 500.") }
        return rooms.participants(of: id, limit: limit)
    }

    /// The participants who have been in the channel longest, for a user who need not be in it: 23409 for a user who is banned from the
    /// channel.
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

    /// Sets 1 … 10 metadata entries, all or none: 23423, 23424 or 23429 otherwise.
    ///
    /// - Parameters:
    ///   - pairs: the entries to set.
    ///   - id: the id.
    ///   - overwrites: whether entries of other users may be replaced.
    ///   - areDeletedWhenLeft: whether the entries are deleted when the user leaves the channel.
    ///   - actor: the author of the request.
    ///   - now: the time, milliseconds since 1970.
    ///   - commit: receives the changes to store.
    /// - Throws: ``ChatRefusal``, with the reason.
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
            throw .badArgument("A metadata key must have 1 to 128 bytes, a metadata value at most 4,096 bytes.")
        }
        let known = rooms.rooms[id]?.entries ?? [:]
        guard known.count + pairs.keys.filter({ known[$0] == nil }).count <= application.limits.openEntries else {
            throw ChatRefusal(
                ChatCode.tooManyEntries, "An open channel has at most \(application.limits.openEntries) metadata entries.")
        }
        let kept = known.values.reduce(0) { $0 + (pairs[$1.key] == nil ? $1.key.utf8.count + $1.value.utf8.count : 0) }
        let bytes = pairs.reduce(kept) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard bytes <= application.limits.openEntryBytes else {
            throw ChatRefusal(
                ChatCode.tooManyEntries,
                "The metadata of an open channel have at most \(application.limits.openEntryBytes) bytes together.")
        }
        guard overwrites || actor.isServer || pairs.keys.allSatisfy({ known[$0].map { $0.owner == actor.user } ?? true }) else {
            throw ChatRefusal(ChatCode.notEntryOwner, "One of the metadata entries belongs to another user.")
        }
        let entries = pairs.sorted { $0.key < $1.key }.map {
            ChatDocument.OpenEntry(
                channel: id, key: $0.key, value: $0.value, owner: actor.user, isDeletedWhenLeft: areDeletedWhenLeft)
        }
        var news = ChatNews()
        rooms.put(entries, in: id, at: now, into: &commit, news: &news)
        return news
    }

    /// Removes 1 … 10 metadata entries, all or none: 23424, 23427 or 23429 otherwise.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
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
                throw ChatRefusal(ChatCode.noSuchEntry, "There is no metadata entry with this key.")
            }
            guard force || actor.isServer || entry.owner == actor.user else {
                throw ChatRefusal(ChatCode.notEntryOwner, "One of the metadata entries belongs to another user.")
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
