import ChatProtocol
import Identifiers

extension ServedChatApplication {
    /// Answers a request of a session, of the application's own server, or of the bridge.
    ///
    /// - Parameter reply: called once, on any thread, without a lock held.
    func perform(_ request: ChatRequest, by caller: ChatCaller, reply: @escaping ChatAnswering) {
        if let peer = caller.peer, let kind = request.spending {
            do throws(ChatRefusal) {
                try spend(kind, by: peer)
            } catch {
                return answer(.failure(ChatRequestRefusal(error)), reply: reply)
            }
        }
        switch request {
        case .send(let draft): send(draft, by: caller, reply: reply)
        case .recall(let target): recall(target, by: caller, reply: reply)
        case .edit(let target, let content): edit(target, content: content, by: caller, reply: reply)
        case .changeMetadata(let target, let set, let delete):
            changeMetadata(target, set: set, delete: delete, by: caller, reply: reply)
        case .sendReceipt(let kind, let to, let ids): sendReceipt(kind, Identifier(to), for: ids, by: caller, reply: reply)
        case .receipts(let kind, let to, let ids): receipts(kind, Identifier(to), for: ids, by: caller, reply: reply)
        case .receiptUsers(let target): receiptUsers(target, by: caller, reply: reply)
        case .read(let channel, let time): markRead(channel, time: time, by: caller, reply: reply)
        case .delete(let channel, let ids, let before): hide(channel, ids, before: before, by: caller, reply: reply)
        case .history(let request): history(request, by: caller, reply: reply)
        case .set(let settings): set(settings, by: caller, reply: reply)
        case .settings: settings(by: caller, reply: reply)
        case .createGroup, .joinGroup, .quitGroup, .dismissGroup, .inviteToGroup, .kickFromGroup, .transferGroup,
            .changeAdmins, .updateGroup, .setGroupMember, .groupInfo, .groupMembers, .myGroups:
            performGroup(request, by: caller, reply: reply)
        case .enter, .exit, .openInfo, .openMetadata, .setOpenMetadata, .deleteOpenMetadata:
            performOpen(request, by: caller, reply: reply)
        case .users, .updateUser, .subscribeUsers, .unsubscribeUsers, .subscriptions, .block, .unblock, .blocklist:
            performUser(request, by: caller, reply: reply)
        }
    }

    /// Sends the answer to a request once the answers to all earlier requests have been sent.
    func answer(_ result: Result<ChatResult, ChatRequestRefusal>, reply: @escaping ChatAnswering) {
        change({ _, _ in try result.get() }, reply: reply)
    }
}

extension ChatRequest {
    /// The quota against which a session's request counts; nil for messages, which are counted when they are decided.
    var spending: ChatSpending? {
        switch self {
        case .send: nil
        case .recall, .edit, .changeMetadata: .send
        case .sendReceipt, .read, .delete, .set, .createGroup, .joinGroup, .quitGroup, .dismissGroup, .inviteToGroup,
            .kickFromGroup, .transferGroup, .changeAdmins, .updateGroup, .setGroupMember, .enter, .exit, .setOpenMetadata,
            .deleteOpenMetadata, .updateUser, .subscribeUsers, .unsubscribeUsers, .block, .unblock:
            .change
        case .receipts, .receiptUsers, .history, .settings, .groupInfo, .groupMembers, .myGroups, .openInfo, .openMetadata,
            .users, .subscriptions, .blocklist:
            .query
        }
    }
}

extension ChatRequestRefusal {
    static let unknown = ChatRequestRefusal(.unknownRequest, "The server does not support this kind of request.")
    static let answerTooLarge = ChatRequestRefusal(
        .tooLarge, "The answer would have more than 768 KiB: request less data at a time.")
    static let unreadable = ChatRequestRefusal(
        .storageFailed, "The server could not read the requested data from its store: try again later.")
    static func badArgument(_ reason: String) -> ChatRequestRefusal { ChatRequestRefusal(.badArgument, reason) }
}

extension ChatKind {
    init(_ conversation: ChatConversationKind) {
        self =
            switch conversation {
            case .direct: .direct
            case .group: .group
            case .open: .open
            case .system: .system
            }
    }
}

extension ChatConversationKind {
    init(_ kind: ChatKind) {
        self =
            switch kind {
            case .direct: .direct
            case .group: .group
            case .open: .open
            case .system: .system
            }
    }
}
