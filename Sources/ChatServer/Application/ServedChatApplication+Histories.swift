import ChatProtocol
import Identifiers
import ServerStorage

// Requests about a user's own view of channels: history, read positions, hidden messages, and settings (chat-protocol.md, 5.2, 5.3 and 6).
extension ServedChatApplication {
    /// The size in bytes at which a page ends. A larger answer could exceed the limit of unsent bytes, at which clients count as slow
    /// readers.
    private static let pageBytes = 262_144

    /// Answers with a page of a channel's history (rules NV-30 and NV-31).
    func history(_ request: ChatHistoryRequest, by caller: ChatCaller, reply: @escaping ChatAnswering) {
        guard ChatProtocolLimits.page.contains(request.limit) else {
            return answer(.failure(.badArgument("limit is 1 to 100 messages.")), reply: reply)
        }
        let now = now
        let access: ChatHistoryAccess
        do {
            access = try read { state in
                guard caller.peer != nil else {
                    return state.historyAccess(
                        of: ChatKind(request.channel.conversation), Identifier(request.channel.id), by: caller.user)
                }
                return try state.admitHistory(
                    of: ChatKind(request.channel.conversation), Identifier(request.channel.id), by: caller.user, at: now)
            }
        } catch {
            return answer(.failure(ChatRequestRefusal(error)), reply: reply)
        }
        // The application's server has no history of its own, so its query includes messages that users have hidden.
        let query = ChatHistoryQuery(request, access, viewer: caller.user.isEmpty ? nil : caller.user)
        let (store, key) = (storage.store, key)
        Task {
            do {
                let events = try await store.history(query, application: key)
                var bodies: [[UInt8]] = []
                var bytes = 0
                for event in events.prefix(request.limit) where bytes < Self.pageBytes {
                    bodies.append(event.body)
                    bytes += event.body.count
                }
                reply(.success(.history(bodies, hasMore: bodies.count < events.count)))
            } catch {
                reply(.failure(.unreadable))
            }
        }
    }

    /// Sets the time after which messages count as unread, and notifies the user's other devices. The time is at most the server's
    /// current time, so that a device whose clock is ahead does not mark future messages as read (rule NV-65).
    func markRead(_ channel: ChatChannel, time: Int64, by caller: ChatCaller, reply: @escaping ChatAnswering) {
        change(
            { state, change in
                self.tellOwn(.read(channel, time: min(max(time, 0), change.now)), by: caller, state: &state, change: &change)
                return .done
            }, reply: reply)
    }

    /// Hides messages from a user's own history: single messages, and all messages up to a millisecond, inclusive.
    ///
    /// Only messages that are in the store are recorded, so that invented ids and conversations store nothing (rules NV-64, CC-34).
    func hide(
        _ channel: ChatChannel, _ ids: [ChatMessageID], before: Int64?, by caller: ChatCaller,
        reply: @escaping ChatAnswering
    ) {
        let (user, now) = (caller.user, now)
        let access: ChatHistoryAccess
        do {
            access = try read { state in
                try state.admitHistory(of: ChatKind(channel.conversation), Identifier(channel.id), by: user, at: now)
            }
        } catch {
            return answer(.failure(ChatRequestRefusal(error)), reply: reply)
        }
        let (store, key) = (storage.store, key)
        Task {
            var known: [UInt64] = []
            var newest: UInt64?
            do {
                for id in ids where try await store.event(id.rawValue, in: access.conversation, application: key) != nil {
                    known.append(id.rawValue)
                }
                if let before, before >= 0 {
                    // The newest existing message up to `before` is the limit of what is hidden, so that messages that are sent later stay
                    // visible.
                    let limit = Self.firstID(atOrAfter: before == .max ? before : before + 1)
                    let query = ChatHistoryQuery(
                        conversation: access.conversation, after: access.floor, before: limit, limit: 1, viewer: user)
                    newest = try await store.history(query, application: key).first?.id
                }
            } catch {
                return reply(.failure(.unreadable))
            }
            let (hidden, last) = (known, newest)
            change(
                { _, change in
                    change.commit.hidden += hidden.map { (user, $0) }
                    if let last { change.commit.hiddenUpTo.append((user, access.conversation, last)) }
                    return .done
                }, reply: reply)
        }
    }

    func set(_ settings: ChatChannelSettings, by caller: ChatCaller, reply: @escaping ChatAnswering) {
        change(
            { state, change in
                let hasChanged = try state.set(
                    ChatKind(settings.conversation), channel: settings.id.map { Identifier($0) }, isPinned: settings.isPinned,
                    level: settings.level,
                    of: caller.user, into: &change.commit)
                if hasChanged { self.tellOwn(.settings(settings), by: caller, state: &state, change: &change) }
                return .done
            }, reply: reply)
    }

    func settings(by caller: ChatCaller, reply: @escaping ChatAnswering) {
        let all = read { $0.settings(of: caller.user) }
        var list = ChatSettingsList()
        for setting in all {
            guard let target = setting.target else { continue }
            let value = ChatChannelSettings(
                conversation: ChatConversationKind(target.kind), id: target.id?.text,
                isPinned: target.id.map { _ in setting.isPinned },
                level: setting.level)
            if target.id == nil { list.kinds.append(value) } else { list.channels.append(value) }
        }
        answer(.success(.settings(list)), reply: reply)
    }

    /// Notifies the user's other devices of an event.
    private func tellOwn(
        _ event: ChatWireEvent, by caller: ChatCaller, state: inout ChatState, change: inout ChatChange
    ) {
        change.add(
            ChatEvent(id: change.nextID(), sender: caller.user, body: event.body), places: state.place([caller.user]),
            except: caller.peer?.chat)
    }

    /// The smallest id that an event of this millisecond, or of a later one, can have.
    static func firstID(atOrAfter milliseconds: Int64) -> UInt64 {
        let (product, overflow) = UInt64(max(milliseconds, 0)).multipliedReportingOverflow(
            by: TimetokenClock.ticksPerMillisecond)
        return overflow ? .max : max(product, 1)
    }
}

extension ChatHistoryQuery {
    /// Makes the query for a page. The query reads one message more than the page has, which shows whether further messages follow.
    fileprivate init(_ request: ChatHistoryRequest, _ access: ChatHistoryAccess, viewer: Identifier?) {
        self.init(conversation: access.conversation, after: access.floor, limit: request.limit + 1, viewer: viewer)
        switch request.place {
        case .latest: break
        case .before(let id): before = id.rawValue
        case .beforeTime(let time): before = ServedChatApplication.firstID(atOrAfter: time)
        case .after(let id):
            after = max(id.rawValue, access.floor)
            isOldestFirst = true
        case .afterTime(let time):
            let next = ServedChatApplication.firstID(atOrAfter: time == .max ? time : time + 1)
            after = max(next - 1, access.floor)
            isOldestFirst = true
        }
    }
}
