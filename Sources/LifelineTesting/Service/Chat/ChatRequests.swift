import ChatProtocol
import EngineRuntime
import Identifiers
import WireCoding

// Answering the requests of chat clients.
extension ServiceState {
    /// The answer to a request.
    ///
    /// - Returns: nil to leave the request unanswered.
    mutating func answer(
        _ request: ChatRequest, of user: String, on id: UInt64
    ) -> Result<ChatResult, ChatRequestRefusal>? {
        switch request {
        case .send(let draft): return send(draft, of: user, on: id)
        case .history(let request): return .success(history(request, of: user))
        case .enter(let entry): return enter(entry, by: user, id: id)
        case .exit(let name):
            update(chat: id) { $0.inside.remove(Identifier(name)) }
            depart(user, from: name, but: id)
            return .success(.done)
        case .openInfo(let name, _):
            let members = channel(name) { $0.members }
            return .success(
                .openInfo(
                    ChatOpenInfo(
                        created: 1, count: members.count, members: members.map { ChatOpenMember(user: $0.id, entered: 1) })))
        case .groupMembers(let request): return groupMembers(request, user)
        case .groupInfo(let ids):
            return .success(
                .groups(ids.map { ChatGroup(id: $0, name: $0, owner: channel("group:\($0)") { $0.members.first?.id } ?? "") }))
        case .users(let ids): return .success(.users(ids.map { ChatUser(user: $0, name: $0) }))
        case .settings: return .success(.settings(ChatSettingsList()))
        case .blocklist: return .success(.blocklist([]))
        case .subscriptions: return .success(.subscriptions([]))
        case .subscribeUsers: return .success(.failed([]))
        case .openMetadata: return .success(.openMetadata([]))
        case .sendReceipt, .read, .delete, .set, .updateUser, .unsubscribeUsers, .block, .unblock: return .success(.done)
        default:
            return .failure(
                ChatRequestRefusal(.unknownRequest, "TestService does not support this chat request. Test it against a server.")
            )
        }
    }

    private mutating func send(
        _ draft: ChatMessageDraft, of user: String, on socket: UInt64
    ) -> Result<ChatResult, ChatRequestRefusal>? {
        let name = draft.conversation == .open ? draft.to : "\(draft.conversation.word):\(draft.to)"
        let content = String(decoding: draft.content, as: UTF8.self)
        let isKnown = sentChats[[Identifier(user), Identifier(draft.clientID)]]
        // A repeated request with the same client id returns the message of the first request.
        if let isKnown { return .success(.sent(ChatMessageID(rawValue: isKnown))) }
        let outcome = outcome(on: name)
        let isDenied = isDenied(name)
        var isAccepted = !isDenied
        if case .refused = outcome { isAccepted = false }
        record(TestPublication(channel: name, event: draft.type, json: content, user: user, isAccepted: isAccepted))
        if case .refused(let reason) = outcome { return .failure(ChatRequestRefusal(.noPermission, reason)) }
        if isDenied { return .failure(ChatRequestRefusal(.noPermission, "TestService.deny(_:) denies access to the channel.")) }
        let message = draft.message(id: ChatMessageID(rawValue: nextTick()), from: user)
        sentChats[[Identifier(user), Identifier(draft.clientID)]] = message.id.rawValue
        keep(message)
        switch draft.conversation {
        case .open: tellChat(.message(message), inside: draft.to, but: socket)
        case .group:
            channel(name) { if !$0.has(user) { $0.members.append(TestMember(id: user)) } }
            for other in channel(name, { $0.members.map(\.id) }) where !other.isExactly(user) && inboxes[Identifier(other)] != nil
            {
                put(message.body, for: other)
            }
        case .direct: if inboxes[Identifier(draft.to)] != nil { put(message.body, for: draft.to) }
        case .system: break
        }
        if case .unanswered = outcome { return nil }
        return .success(.sent(message.id))
    }

    private func history(_ request: ChatHistoryRequest, of user: String) -> ChatResult {
        let channel = request.channel
        let key =
            channel.conversation == .system
            ? ConversationKey(.system, from: channel.id, to: user)
            : ConversationKey(channel.conversation, from: user, to: channel.id)
        let all = chatHistory[key] ?? []
        let isForward: Bool
        let fitting: [ChatEntry]
        switch request.place {
        case .latest: (fitting, isForward) = (all, false)
        case .before(let id): (fitting, isForward) = (all.filter { $0.id < id.rawValue }, false)
        case .beforeTime(let time): (fitting, isForward) = (all.filter { Int64($0.id / 10_000) < time }, false)
        case .after(let id): (fitting, isForward) = (all.filter { $0.id > id.rawValue }, true)
        case .afterTime(let time): (fitting, isForward) = (all.filter { Int64($0.id / 10_000) > time }, true)
        }
        let page = isForward ? Array(fitting.prefix(request.limit)) : fitting.suffix(request.limit).reversed()
        return .history(page.map(\.body), hasMore: fitting.count > request.limit)
    }

    private mutating func enter(
        _ entry: ChatEntryRequest, by user: String, id: UInt64
    ) -> Result<ChatResult, ChatRequestRefusal> {
        let name = entry.channel
        if isDenied(name) {
            return .failure(ChatRequestRefusal(.bannedFromOpenChannel, "TestService.deny(_:) denies access to the channel."))
        }
        channel(name) { $0.isKnown = true }
        update(chat: id) { _ = $0.inside.insert(Identifier(name)) }
        arrive(TestMember(id: user), on: name, but: id)
        let all = chatHistory[ConversationKey(.open, from: user, to: name)] ?? []
        let missed = entry.after.map { after in all.filter { $0.id > after.rawValue } } ?? all
        let messages = missed.suffix(entry.count)
        let entrance = ChatOpenEntrance(
            channel: name, created: 1, count: channel(name) { $0.members.count }, entered: chatTime,
            hasMore: entry.after != nil && missed.count > messages.count)
        return .success(.entrance(entrance, messages: messages.map(\.body)))
    }

    private mutating func groupMembers(
        _ request: ChatMembersRequest, _ user: String
    ) -> Result<ChatResult, ChatRequestRefusal> {
        let name = "group:\(request.group)"
        if isDenied(name) {
            return .failure(ChatRequestRefusal(.noPermission, "TestService.deny(_:) denies access to the group."))
        }
        let members = channel(name) { channel in
            channel.isKnown = true
            // The requesting user becomes a member of the group, because groups of a test service are open to all users.
            if !channel.has(user) { channel.members.append(TestMember(id: user)) }
            return channel.members.map(\.id).sorted()
        }
        let rest = request.after.map { after in members.filter { $0 > after } } ?? members
        return .success(
            .members(
                rest.prefix(request.limit).map { ChatGroupMember(user: $0, role: .member) },
                hasMore: rest.count > request.limit))
    }

    /// `POST /v4/auth/access-token/issue`
    mutating func issueToken(_ id: UInt64, _ line: DecodedRequest) {
        guard let user = (try? JSONText(bytes: line.body))?["userId"]?.string else {
            return finish(id, status: 400, Array(#"{"code":400,"errorMessage":"userId is missing."}"#.utf8))
        }
        finish(
            id,
            json:
                #"{"code":0,"result":{"userId":\#(JSONWriter.string(user)),"accessToken":\#(JSONWriter.string(Self.tokenPrefix + user))}}"#
        )
    }
}
