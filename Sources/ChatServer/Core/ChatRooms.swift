import ChatProtocol
import DequeModule
import HeapModule
import Identifiers
import ServerStorage

/// All open channels of an application (rules CH-60 to CH-74).
struct ChatRooms: Sendable {
    /// The lifetime in ms of channels that were created by entering them: an hour, as in the vendor's service.
    static let lifetime: Int64 = 3_600_000

    private(set) var rooms: [Identifier: ChatRoom] = [:]
    /// See ``ChatState/steadyTime``.
    var steadyTime: Int64?
    /// Participants who joined, left or changed since the last call of ``ChatState/takeLiveChanges()``; nil when changes are not recorded.
    var touched: Set<Place>?
    private var roomsOfUser: [Identifier: Set<Identifier>] = [:]
    /// The number of existing channels that each user has created by entering.
    private var made: [Identifier: Int] = [:]
    /// Participants who have lost the connection, in the order of the times when they leave.
    private var leaving: Deque<(deadline: Int64, user: Identifier, channel: Identifier)> = []
    /// Owners of metadata entries that are deleted when their owner leaves the channel. These owners have not entered the channel since the
    /// restart of the server, and get a grace period to do so.
    private var absentOwners: Deque<(deadline: Int64, user: Identifier, channel: Identifier)> = []
    /// Whether channels were restored from the store since the last sweep.
    private var isRestored = false
    private var nextLookAtLifetimes = Int64.min
    /// Channels with joins and leaves that have not been published yet.
    private var untold: Set<Identifier> = []
    private var nextTelling = Int64.min

    /// The number of participants up to which each join and leave is published at once. A larger channel publishes them once per second,
    /// because the cost of single events grows with the square of the number of participants.
    static let smallRoom = 100
    /// The largest number of joins and leaves in one event. Further ones are left out, and only the event's count includes them.
    static let actionsAtATime = 500

    subscript(id: Identifier) -> ChatDocument.OpenChannel? { rooms[id]?.channel }

    func eventLoopIDs(of id: Identifier) -> EventLoopSet? { rooms[id]?.eventLoopIDs }
    func count(of id: Identifier) -> Int { rooms[id]?.count ?? 0 }

    /// Whether a user is a participant of a channel, connected or within the grace period.
    func isInside(_ id: Identifier, _ user: Identifier) -> Bool { rooms[id]?.participants[user] != nil }

    /// Whether a session is among a participant's sessions in a channel.
    func isSeated(_ id: Identifier, session: ChatSessionID, user: Identifier) -> Bool {
        rooms[id]?.participants[user]?.sessions.contains { $0.id == session.id } ?? false
    }

    /// Whether a participant has lost the connection and may still reconnect.
    func isWaited(_ id: Identifier, _ user: Identifier) -> Bool { rooms[id]?.participants[user]?.sessions.isEmpty ?? false }

    func entered(_ id: Identifier, _ user: Identifier) -> Int64? { rooms[id]?.participants[user]?.entered }

    func entries(of id: Identifier) -> [ChatDocument.OpenEntry] {
        rooms[id].map { $0.entries.values.sorted { $0.key < $1.key } } ?? []
    }

    /// The participants who have been in the channel longest, at most `limit`.
    func participants(of id: Identifier, limit: Int) -> [ChatParticipant] {
        struct Place: Comparable {
            var participant: ChatParticipant
            static func < (left: Self, right: Self) -> Bool {
                (left.participant.entered, left.participant.user) < (right.participant.entered, right.participant.user)
            }
        }
        guard let room = rooms[id], limit > 0 else { return [] }
        var first = Heap<Place>()
        for (user, participant) in room.participants {
            let place = Place(participant: ChatParticipant(user: user, entered: participant.entered))
            if first.count >= limit, let last = first.max, !(place < last) { continue }
            first.insert(place)
            if first.count > limit { _ = first.popMax() }
        }
        return first.unordered.sorted().map(\.participant)
    }

    mutating func noteMessage(in id: Identifier, at now: Int64) {
        guard let index = rooms.index(forKey: id) else { return }
        rooms.values[index].touch(at: steadyTime ?? now)
    }

    /// The number of existing open channels that a user has created by entering.
    func madeCount(by user: Identifier) -> Int { made[user] ?? 0 }

    private mutating func count(_ channel: ChatDocument.OpenChannel, _ change: Int) {
        guard let creator = channel.creator else { return }
        let count = (made[creator] ?? 0) + change
        made[creator] = count > 0 ? count : nil
    }

    // MARK: Open channels and their participants

    mutating func create(_ channel: ChatDocument.OpenChannel, at now: Int64, into commit: inout ChatCommit) {
        rooms[channel.id] = ChatRoom(channel, at: steadyTime ?? now)
        count(channel, 1)
        commit.documents.append(.openChannel(channel))
    }

    mutating func update(_ channel: ChatDocument.OpenChannel, into commit: inout ChatCommit) {
        if let former = rooms[channel.id]?.channel { count(former, -1) }
        count(channel, 1)
        rooms[channel.id]?.channel = channel
        commit.documents.append(.openChannel(channel))
    }

    mutating func enter(_ session: ChatSessionID, of user: Identifier, room id: Identifier, at now: Int64, news: inout ChatNews) {
        guard let index = rooms.index(forKey: id) else { return }
        touched?.insert(Place(channel: id, user: user))
        if rooms.values[index].enter(session, user, at: now, steady: steadyTime ?? now) {
            roomsOfUser[user, default: []].insert(id)
            tell(ChatOpenAction(user: user, isJoin: true), in: id, at: now, news: &news)
        }
    }

    func channels(of user: Identifier) -> Set<Identifier> { roomsOfUser[user] ?? [] }

    /// Removes one session of a user. The user leaves the channel with the last session.
    ///
    /// - Returns: whether the session was in the channel.
    mutating func exit(
        _ session: ChatSessionID, of user: Identifier, room id: Identifier, at now: Int64, into commit: inout ChatCommit,
        news: inout ChatNews
    ) -> Bool {
        guard let index = rooms.index(forKey: id), let left = rooms.values[index].detach(session, user) else { return false }
        touched?.insert(Place(channel: id, user: user))
        news.detached.append(ChatSeat(session: session, user: user, channel: id))
        if left == 0 { leave(user, id, at: now, into: &commit, news: &news) }
        return true
    }

    /// Removes a user with all sessions from a channel, and notifies the other participants. Also removes those metadata entries of the
    /// user that the user has set to be deleted on leaving.
    mutating func leave(
        _ user: Identifier, _ id: Identifier, at now: Int64, into commit: inout ChatCommit, news: inout ChatNews
    ) {
        guard let index = rooms.index(forKey: id), let participant = rooms.values[index].remove(user, at: steadyTime ?? now)
        else { return }
        touched?.insert(Place(channel: id, user: user))
        news.detached += participant.sessions.map { ChatSeat(session: $0, user: user, channel: id) }
        unlink(user, id)
        tell(ChatOpenAction(user: user, isJoin: false), in: id, at: now, news: &news)
        removeEntries(of: user, from: id, at: now, into: &commit, news: &news)
    }

    /// Removes those metadata entries of a user that are deleted when their owner leaves.
    private mutating func removeEntries(
        of user: Identifier, from id: Identifier, at now: Int64, into commit: inout ChatCommit, news: inout ChatNews
    ) {
        let entries = rooms[id]?.entries.values.filter { $0.owner == user && $0.isDeletedWhenLeft } ?? []
        remove(entries.map(\.key).sorted(), from: id, at: now, into: &commit, news: &news)
    }

    mutating func leaveAll(
        _ session: ChatSessionID, of user: Identifier, at now: Int64, into commit: inout ChatCommit, news: inout ChatNews
    ) {
        for id in channels(of: user).sorted() { _ = exit(session, of: user, room: id, at: now, into: &commit, news: &news) }
    }

    /// Records that a session has lost its connection. After the last session, the user stays a participant for the grace period.
    mutating func lose(_ session: ChatSessionID, of user: Identifier, grace: Duration, at now: Int64, news: inout ChatNews) {
        for id in channels(of: user) {
            guard let index = rooms.index(forKey: id), let left = rooms.values[index].detach(session, user) else { continue }
            touched?.insert(Place(channel: id, user: user))
            news.detached.append(ChatSeat(session: session, user: user, channel: id))
            guard left == 0 else { continue }
            let deadline = (steadyTime ?? now) + max(grace.wholeMilliseconds, 0)
            rooms.values[index].wait(for: user, until: deadline)
            leaving.append((deadline, user, id))
        }
    }

    // MARK: Destroying channels, and periodic work

    mutating func destroy(
        _ id: Identifier, isManual: Bool, restrictions: inout ChatRestrictions, at now: Int64, into commit: inout ChatCommit,
        news: inout ChatNews
    ) {
        guard let room = rooms[id] else { return }
        tell(id, .destroyed(isManual: isManual), at: now, news: &news)
        rooms[id] = nil
        count(room.channel, -1)
        untold.remove(id)
        for (user, participant) in room.participants {
            unlink(user, id)
            touched?.insert(Place(channel: id, user: user))
            news.detached += participant.sessions.map { ChatSeat(session: $0, user: user, channel: id) }
        }
        commit.removedDocuments.append(ChatDocument.openChannel(room.channel).key)
        commit.removedDocuments += room.entries.keys.sorted().map { .openEntry(channel: id, key: $0) }
        restrictions.removeAll(in: .channel(.open, id), into: &commit)
    }

    mutating func sweep(
        at now: Int64, limits: ChatLimits, restrictions: inout ChatRestrictions, into commit: inout ChatCommit,
        news: inout ChatNews
    ) {
        let time = steadyTime ?? now
        if isRestored { resume(at: time, grace: limits.openGrace) }
        while let first = leaving.first, first.deadline <= time {
            leaving.removeFirst()
            if let end = rooms[first.channel]?.participants[first.user]?.leavesAt, end <= time {
                leave(first.user, first.channel, at: now, into: &commit, news: &news)
            }
        }
        while let first = absentOwners.first, first.deadline <= time {
            absentOwners.removeFirst()
            guard !isInside(first.channel, first.user) else { continue }
            removeEntries(of: first.user, from: first.channel, at: now, into: &commit, news: &news)
        }
        if time >= nextTelling, !untold.isEmpty {
            nextTelling = time + 1_000
            for id in untold.sorted() { tellUntold(in: id, at: now, news: &news) }
        }
        guard time >= nextLookAtLifetimes else { return }
        nextLookAtLifetimes = time + 10_000
        for room in rooms.values where room.participants.isEmpty {
            guard let lifetime = room.channel.lifetime, let last = room.lastActivity else { continue }
            // Neither operand is negative, so the difference cannot overflow.
            guard time - max(last, 0) >= lifetime else { continue }
            destroy(
                room.channel.id, isManual: false, restrictions: &restrictions, at: now, into: &commit, news: &news)
        }
    }

    /// Starts the lifetimes of restored channels. Also starts a grace period for absent owners of metadata entries that are deleted when
    /// their owner leaves: the owners may reconnect before these entries are deleted (rules CH-68 and CH-75).
    private mutating func resume(at time: Int64, grace: Duration) {
        isRestored = false
        let deadline = time + max(grace.wholeMilliseconds, 0)
        for id in rooms.keys.sorted() {
            guard let index = rooms.index(forKey: id) else { continue }
            if rooms.values[index].lastActivity == nil { rooms.values[index].lastActivity = time }
            let room = rooms.values[index]
            let owners = Set(room.entries.values.lazy.filter(\.isDeletedWhenLeft).map(\.owner))
            for owner in owners.sorted() where room.participants[owner] == nil { absentOwners.append((deadline, owner, id)) }
        }
    }

    private mutating func unlink(_ user: Identifier, _ id: Identifier) {
        roomsOfUser[user]?.remove(id)
        if roomsOfUser[user]?.isEmpty == true { roomsOfUser[user] = nil }
    }

    // MARK: Metadata

    mutating func put(
        _ entries: [ChatDocument.OpenEntry], in id: Identifier, at now: Int64, into commit: inout ChatCommit, news: inout ChatNews
    ) {
        for entry in entries {
            rooms[id]?.entries[entry.key] = entry
            commit.documents.append(.openEntry(entry))
        }
        tell(id, .metadata(entries.map { ChatOpenEntryChange(key: $0.key, value: $0.value) }), at: now, news: &news)
    }

    mutating func remove(
        _ keys: [Identifier], from id: Identifier, at now: Int64, into commit: inout ChatCommit, news: inout ChatNews
    ) {
        guard !keys.isEmpty else { return }
        for key in keys {
            rooms[id]?.entries[key] = nil
            commit.removedDocuments.append(.openEntry(channel: id, key: key))
        }
        tell(id, .metadata(keys.map { ChatOpenEntryChange(key: $0, value: nil) }), at: now, news: &news)
    }

    // MARK: Notifying participants

    private mutating func tell(_ action: ChatOpenAction, in id: Identifier, at now: Int64, news: inout ChatNews) {
        guard let index = rooms.index(forKey: id) else { return }
        if rooms.values[index].untold.count < Self.actionsAtATime { rooms.values[index].untold.append(action) }
        if rooms.values[index].count <= Self.smallRoom {
            tellUntold(in: id, at: now, news: &news)
        } else {
            untold.insert(id)
        }
    }

    private mutating func tellUntold(in id: Identifier, at now: Int64, news: inout ChatNews) {
        untold.remove(id)
        guard let index = rooms.index(forKey: id) else { return }
        var actions: [ChatOpenAction] = []
        swap(&actions, &rooms.values[index].untold)
        tell(id, .members(actions, count: rooms.values[index].count), at: now, news: &news)
    }

    /// Publishes an event to the participants of a channel.
    func tell(_ id: Identifier, _ kind: ChatOpenEvent.Kind, at now: Int64, news: inout ChatNews) {
        guard let eventLoopIDs = rooms[id]?.eventLoopIDs, !eventLoopIDs.isEmpty else { return }
        news.open.append(ChatOpenEvent(channel: id, kind: kind, time: now, eventLoopIDs: eventLoopIDs))
    }

    /// Announces an application-wide mute in every open channel that one of `users` has entered.
    func tell(of muting: ChatOpenMute.Kind, _ users: [Identifier], duration: Int64, at now: Int64) -> ChatNews {
        var news = ChatNews()
        for id in Set(users.flatMap { channels(of: $0) }).sorted() {
            let here = users.filter { isInside(id, $0) }
            tell(id, .muting(muting, users: here, duration: duration), at: now, news: &news)
        }
        return news
    }

    // MARK: Documents

    mutating func restore(_ channel: ChatDocument.OpenChannel) {
        let entries = rooms[channel.id]?.entries ?? [:]
        rooms[channel.id] = ChatRoom(channel, at: nil)
        rooms[channel.id]?.entries = entries
        count(channel, 1)
        isRestored = true
    }

    mutating func restore(_ entry: ChatDocument.OpenEntry) {
        if rooms[entry.channel] == nil {
            rooms[entry.channel] = ChatRoom(ChatDocument.OpenChannel(id: entry.channel, created: .min), at: nil)
        }
        rooms[entry.channel]?.entries[entry.key] = entry
    }

    /// Restores participants. The lifetimes of all channels begin again now, as if each channel had just had a message.
    mutating func restore(
        _ live: [ChatLive.Participant], _ sessions: [UInt64: ChatSessionID], grace: Duration, at now: Int64
    ) {
        for id in rooms.keys { noteMessage(in: id, at: now) }
        // The deadline may come from another machine's clock, so it is limited to at most one grace period from now.
        let latest = (steadyTime ?? now) + max(grace.wholeMilliseconds, 0)
        for one in live {
            guard let index = rooms.index(forKey: one.channel) else { continue }
            let here = one.sessions.compactMap { sessions[$0] }
            let deadline = here.isEmpty ? min(one.leavesAt ?? latest, latest) : nil
            rooms.values[index].restore(one.user, entered: one.entered, here, leavesAt: deadline)
            roomsOfUser[one.user, default: []].insert(one.channel)
            if let deadline { leaving.append((deadline, one.user, one.channel)) }
        }
        leaving.sort { $0.deadline < $1.deadline }
    }

    /// Removes placeholder channels: channels that the store does not contain, but for which metadata entries were restored.
    mutating func finishRestoring() { rooms = rooms.filter { $0.value.channel.created != .min } }

    var documents: [ChatDocument] {
        rooms.values.flatMap { room in [.openChannel(room.channel)] + room.entries.values.map { .openEntry($0) } }
    }
}
