import ChatProtocol
import Identifiers
import ServerStorage

// Requests about users (chat-protocol.md, section 9; rules CH-9, CH-11 and CH-83 to CH-87).
extension ServedChatApplication {
    func performUser(_ request: ChatRequest, by caller: ChatCaller, reply: @escaping ChatAnswering) {
        change({ state, change in try self.decideUser(request, by: caller, state: &state, change: &change) }, reply: reply)
    }

    private func decideUser(
        _ request: ChatRequest, by caller: ChatCaller, state: inout ChatState, change: inout ChatChange
    ) throws -> ChatResult {
        let (user, now) = (caller.user, change.now)
        switch request {
        case .users(let ids):
            guard ChatProtocolLimits.users.contains(ids.count) else {
                throw ChatRequestRefusal(ChatErrorCode(ChatCode.tooManyUsersInCall), "A request must name 1 to 100 users.")
            }
            return .users(ids.compactMap { state.user(Identifier($0)) }.map { ChatUser($0) })
        case .updateUser(let name, let avatar, let extra):
            try state.updateUser(user, name: name, avatar: avatar, extra: extra, at: now, into: &change.commit)
        case .subscribeUsers(let users, let expiry):
            let (failed, states) = try state.subscribe(
                to: users.identifiers, expiry: expiry, by: user, at: now, into: &change.commit)
            if let peer = caller.peer { tell(states, to: peer, change: &change) }
            return .failed(failed.texts)
        case .unsubscribeUsers(let users):
            try state.unsubscribe(from: users.identifiers, by: user, into: &change.commit)
        case .subscriptions:
            return .subscriptions(
                state.subscriptions(of: user, at: now).map {
                    ChatSubscription(user: $0.user.text, subscribed: $0.subscribed, expires: $0.expires)
                })
        case .block(let users):
            let users = users.identifiers
            try state.block(users, by: user, into: &change.commit)
            tell(state.presenceNews(afterBlocking: users, by: user, at: now), &change)
        case .unblock(let users):
            let users = users.identifiers
            try state.unblock(users, by: user, into: &change.commit)
            tell(state.presenceNews(afterUnblocking: users, by: user), &change)
        case .blocklist: return .blocklist(state.blocked(by: user).texts)
        default: throw ChatRequestRefusal.unknown
        }
        return .done
    }

    package func tellPresence(to peer: ChatSessionPeer) {
        guard settings.hasPresence else { return }
        change(
            { state, change in
                self.tell(state.presenceStates(for: peer.user, at: change.now), to: peer, change: &change)
                return ChatResult.done
            }, reply: { _ in })
    }

    private func tell(_ states: [ChatPresenceState], to peer: ChatSessionPeer, change: inout ChatChange) {
        guard !states.isEmpty else { return }
        change.tell([peer.chat], ChatWireEvent.presence(states.map { ChatOnlineStatus($0) }).body)
    }
}

extension ChatUser {
    init(_ user: ChatDocument.User) {
        self.init(
            user: user.id.text, name: user.name.isEmpty ? nil : user.name, avatar: user.avatar.isEmpty ? nil : user.avatar,
            extra: user.extra)
    }
}
