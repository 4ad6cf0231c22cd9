import ChatProtocol
import Identifiers
import ServerStorage

// Requests about open channels (chat-protocol.md, section 8; rules CH-60 to CH-73).
extension ServedChatApplication {
    func performOpen(_ request: ChatRequest, by caller: ChatCaller, reply: @escaping ChatAnswering) {
        guard case .enter(let entry) = request else {
            return change(
                { state, change in try self.decideOpen(request, by: caller, state: &state, change: &change) }, reply: reply)
        }
        enter(entry, by: caller, reply: reply)
    }

    private func decideOpen(
        _ request: ChatRequest, by caller: ChatCaller, state: inout ChatState, change: inout ChatChange
    ) throws -> ChatResult {
        let (actor, now) = (caller.actor, change.now)
        switch request {
        case .exit(let id):
            guard let peer = caller.peer else { throw ChatRequestRefusal.unknown }
            let news = try state.exitOpenChannel(
                Identifier(id), session: peer.chat, user: peer.user, at: now, into: &change.commit)
            tell(news, &change, except: peer)
        case .openInfo(let id, let limit):
            let id = Identifier(id)
            let members = try state.participants(of: id, limit: limit, by: actor, at: now)
            return .openInfo(
                ChatOpenInfo(
                    created: state.openChannel(id)?.created ?? 0, count: state.participantCount(of: id),
                    members: members.map { ChatOpenMember(user: $0.user.text, entered: $0.entered) }))
        case .openMetadata(let id):
            return .openMetadata(try state.openEntries(of: Identifier(id), by: actor, at: now).map { ChatOpenEntry($0) })
        case .setOpenMetadata(let id, let pairs, let overwrite, let deleteWhenLeft):
            tell(
                try state.setOpenEntries(
                    pairs.identified, in: Identifier(id), overwrites: overwrite, areDeletedWhenLeft: deleteWhenLeft, by: actor,
                    at: now,
                    into: &change.commit), &change)
        case .deleteOpenMetadata(let id, let keys, let force):
            tell(
                try state.deleteOpenEntries(
                    keys.identifiers, in: Identifier(id), force: force, by: actor, at: now, into: &change.commit), &change)
        default: throw ChatRequestRefusal.unknown
        }
        return .done
    }

    // MARK: Entering

    /// The data of a user who enters an open channel, before the history is read.
    fileprivate struct Entering: Sendable {
        var entrance: ChatOpenEntrance
        /// Selects the messages before the user entered. Later messages are delivered to the device, so no message is missing or delivered
        /// twice.
        var query: ChatHistoryQuery?
        var saysMore: Bool
    }

    private func enter(_ entry: ChatEntryRequest, by caller: ChatCaller, reply: @escaping ChatAnswering) {
        guard let peer = caller.peer else { return answer(.failure(.unknown), reply: reply) }
        guard ChatProtocolLimits.entryMessages.contains(entry.count) else {
            return answer(.failure(.badArgument("count is 0 to 50.")), reply: reply)
        }
        let (store, key) = (storage.store, key)
        change(
            { state, change in try self.decideEntrance(entry, by: peer, state: &state, change: &change) },
            completion: { (result: Result<Entering, ChatRequestRefusal>) in
                switch result {
                case .failure(let refusal): reply(.failure(refusal))
                case .success(let entering):
                    guard let query = entering.query else {
                        return reply(.success(.entrance(entering.entrance, messages: [])))
                    }
                    Task {
                        do {
                            let events = try await store.history(query, application: key)
                            reply(.success(entering.result(events, limit: query.limit - 1)))
                        } catch {
                            reply(.failure(.unreadable))
                        }
                    }
                }
            })
    }

    private func decideEntrance(
        _ entry: ChatEntryRequest, by peer: ChatSessionPeer, state: inout ChatState, change: inout ChatChange
    ) throws -> Entering {
        let channel = Identifier(entry.channel)
        let entrance = try state.enterOpenChannel(
            channel, extra: entry.extra, session: peer.chat, user: peer.user, at: change.now, into: &change.commit)
        change.seat(peer.chat, in: channel)
        tell(entrance.news, &change, except: peer)
        let count = min(entry.count, settings.limits.openHistory)
        var query: ChatHistoryQuery?
        if count > 0 || entry.after != nil {
            let access = state.historyAccess(of: .open, channel, by: peer.user)
            query = ChatHistoryQuery(
                conversation: access.conversation, after: max(access.floor, entry.after?.rawValue ?? 0), before: change.nextID(),
                limit: count + 1, viewer: peer.user)
        }
        return Entering(entrance: ChatOpenEntrance(entrance), query: query, saysMore: entry.after != nil)
    }

    // MARK: Telling

    /// Queues notifications of changes for connected devices.
    ///
    /// - Parameter peer: the device whose request caused the changes. It gets no event about its own entering or leaving. Other devices
    ///   that leave get the events before they are removed.
    func tell(_ news: ChatNews, _ change: inout ChatChange, except peer: ChatSessionPeer? = nil) {
        guard !news.isEmpty else { return }
        for seat in news.detached where seat.session == peer?.chat { change.unseat(seat.session, from: seat.channel) }
        for event in news.open {
            var knows: ChatSessionID?
            if case .members = event.kind { knows = peer?.chat }
            change.tell(openChannel: event.channel, ChatWireEvent(event).body, except: knows)
        }
        for seat in news.detached where seat.session != peer?.chat { change.unseat(seat.session, from: seat.channel) }
        for sync in news.syncs {
            let event = ChatWireEvent.openSync(
                channel: sync.channel.text, isJoin: sync.isJoin, isOtherDevice: sync.isOtherDevice)
            change.tell(sync.sessions, event.body)
        }
        // Notifications of online status are dropped if the application has switched it off after users subscribed to it.
        guard !news.presence.isEmpty, settings.hasPresence else { return }
        for event in news.presence {
            change.tell(event.watchers, ChatWireEvent.presence([ChatOnlineStatus(event.state)]).body)
        }
    }
}

extension ServedChatApplication.Entering {
    /// The size in bytes at which an answer ends. A larger answer could exceed the limit of unsent bytes, at which clients count as slow
    /// readers.
    private static let maximumBytes = 262_144

    /// The result for entering an open channel with recent messages.
    ///
    /// - Parameter events: the events, newest first. There is one event more than `limit` if the channel has more messages.
    fileprivate func result(_ events: [ChatEvent], limit: Int) -> ChatResult {
        var entrance = entrance
        var bodies: [[UInt8]] = []
        var bytes = 0
        for event in events.prefix(limit) where bytes < Self.maximumBytes {
            bodies.append(event.body)
            bytes += event.body.count
        }
        entrance.hasMore = saysMore && bodies.count < events.count
        return .entrance(entrance, messages: bodies.reversed())
    }
}

// MARK: - Conversion of the state's values to protocol values

extension [String: String] {
    /// The same dictionary with keys that are compared by their bytes.
    var identified: [Identifier: String] { [Identifier: String](map { (Identifier($0.key), $0.value) }) { _, last in last } }
}

extension ChatOpenEntry {
    init(_ entry: ChatDocument.OpenEntry) {
        self.init(key: entry.key.text, value: entry.value, owner: entry.owner.text)
    }
}

extension ChatOpenEntrance {
    init(_ entrance: ChatEntrance) {
        self.init(
            channel: entrance.channel.id.text, created: entrance.channel.created, count: entrance.count,
            entered: entrance.entered,
            isMutedForAll: entrance.channel.isMuted, isMuted: entrance.isMuted, isMutedHere: entrance.isMutedHere,
            isAllowed: entrance.isAllowed, metadata: entrance.entries.map { ChatOpenEntry($0) }, left: entrance.left.texts)
    }
}

extension ChatWireEvent {
    init(_ event: ChatOpenEvent) {
        let (channel, time) = (event.channel.text, event.time)
        self =
            switch event.kind {
            case .members(let actions, let count):
                .openMembers(
                    channel: channel, actions: actions.map { ChatWireOpenAction(user: $0.user.text, isJoin: $0.isJoin) },
                    count: count, time: time)
            case .metadata(let changes):
                .openMetadata(
                    channel: channel, changes: changes.map { ChatOpenChange(key: $0.key.text, value: $0.value) }, time: time)
            case .muting(let kind, let users, let duration):
                .openMute(
                    ChatOpenMute(
                        channel: channel, kind: kind, users: users.texts, duration: duration,
                        time: time))
            case .banned(let users, let duration):
                .openBan(channel: channel, users: users.texts, duration: duration, time: time)
            case .destroyed(let isManual):
                .openDestroyed(channel: channel, isManual: isManual, time: time)
            }
    }
}

extension ChatOnlineStatus {
    init(_ state: ChatPresenceState) {
        self.init(user: state.user.text, isOnline: state.isOnline, time: state.time)
    }
}
