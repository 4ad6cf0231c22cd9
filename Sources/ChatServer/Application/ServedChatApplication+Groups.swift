import ChatProtocol
import Identifiers
import ServerStorage

// Requests about groups (chat-protocol.md, section 7; rules CH-40 to CH-53).
extension ServedChatApplication {
    func performGroup(_ request: ChatRequest, by caller: ChatCaller, reply: @escaping ChatAnswering) {
        change({ state, change in try self.decideGroup(request, by: caller, state: &state, change: &change) }, reply: reply)
    }

    private func decideGroup(
        _ request: ChatRequest, by caller: ChatCaller, state: inout ChatState, change: inout ChatChange
    ) throws -> ChatResult {
        let (actor, now, user) = (caller.actor, change.now, caller.user)
        switch request {
        case .createGroup(let group, let users):
            let group = ChatDocument.Group(group)
            tell(
                try state.createGroup(group, users: users.identifiers, by: actor, at: now, into: &change.commit), state: &state,
                change: &change)
        case .joinGroup(let id):
            tell(
                try state.joinGroup(Identifier(id), users: [user], by: actor, at: now, into: &change.commit), state: &state,
                change: &change)
        case .inviteToGroup(let id, let users):
            tell(
                try state.inviteToGroup(Identifier(id), users: users.identifiers, by: actor, at: now, into: &change.commit),
                state: &state,
                change: &change)
        case .quitGroup(let id):
            tell(
                try state.quitGroup(Identifier(id), users: [user], by: actor, at: now, into: &change.commit), state: &state,
                change: &change)
            return .done
        case .kickFromGroup(let id, let users):
            tell(
                try state.kickFromGroup(Identifier(id), users: users.identifiers, by: actor, at: now, into: &change.commit),
                state: &state,
                change: &change)
            return .done
        case .dismissGroup(let id):
            tell(try state.dismissGroup(Identifier(id), by: actor, at: now, into: &change.commit), state: &state, change: &change)
            return .done
        case .transferGroup(let id, let next, let leaves):
            let changes = try state.transferGroup(
                Identifier(id), to: Identifier(next), leaves: leaves, by: actor, at: now, into: &change.commit)
            for one in changes { tell(one, state: &state, change: &change) }
            return .done
        case .changeAdmins(let id, let add, let remove):
            let changes = try state.changeAdmins(
                Identifier(id), add: add.identifiers, remove: remove.identifiers, by: actor, at: now, into: &change.commit)
            for one in changes { tell(one, state: &state, change: &change) }
            return .done
        case .updateGroup(let id, let update):
            if let news = try state.updateGroup(Identifier(id), update, by: actor, at: now, into: &change.commit) {
                tell(news, state: &state, change: &change)
            }
            return .done
        case .setGroupMember(let id, let member, let nickname, let extra):
            if let news = try state.setMember(
                Identifier(member), of: Identifier(id), nickname: nickname, extra: extra, by: actor, at: now, into: &change.commit
            ) {
                tell(news, state: &state, change: &change)
            }
            return .done
        case .groupInfo(let ids):
            return .groups(try state.groupInfo(ids.identifiers).map { ChatGroup($0.group, count: $0.memberCount) })
        case .groupMembers(let page):
            let (members, hasMore) = try state.groupMembers(
                of: Identifier(page.group), users: page.users.identifiers, role: page.role.map { ChatDocument.Member.Role($0) },
                after: page.after.map { Identifier($0) },
                limit: page.limit, by: actor)
            return .members(members.map { ChatGroupMember($0) }, hasMore: hasMore)
        case .myGroups(let role, let after, let limit):
            let (groups, hasMore) = try state.groups(
                of: user, role: role.map { ChatDocument.Member.Role($0) }, after: after.map { Identifier($0) }, limit: limit)
            return .groupPage(groups.map { ChatGroup($0.group, count: $0.memberCount) }, hasMore: hasMore)
        default: throw ChatRequestRefusal.unknown
        }
        return .process(0)
    }

    // MARK: Telling members

    func tell(_ news: ChatGroupChange, state: inout ChatState, change: inout ChatChange) {
        let operation = ChatGroupOperation(
            kind: news.operation, group: ChatGroup(news.group, count: news.memberCount),
            operator: news.operator.text, members: news.members.map { ChatGroupMember($0) }, time: news.time)
        tell(.group(operation), by: news.operator, to: news.recipients, state: &state, change: &change)
    }

    func tell(_ news: ChatGroupInfoChange, state: inout ChatState, change: inout ChatChange) {
        let event = ChatWireEvent.groupInfo(
            ChatGroup(news.group, count: news.memberCount), changed: news.changed, operator: news.operator.text,
            time: news.time)
        tell(event, by: news.operator, to: news.recipients, state: &state, change: &change)
    }

    func tell(_ news: ChatMemberChange, state: inout ChatState, change: inout ChatChange) {
        let event = ChatWireEvent.groupMember(
            group: news.member.group.text, operator: news.operator.text, ChatGroupMember(news.member), time: news.time)
        tell(event, by: news.operator, to: news.recipients, state: &state, change: &change)
    }

    private func tell(
        _ event: ChatWireEvent, by sender: Identifier, to recipients: ChatRecipients, state: inout ChatState,
        change: inout ChatChange
    ) {
        change.add(
            ChatEvent(id: change.nextID(), sender: sender, body: event.body), places: state.place(recipients))
    }
}

// MARK: - Conversion of the state's values to protocol values

extension ChatGroup {
    init(_ group: ChatDocument.Group, count: Int) {
        self.init(
            id: group.id.text, name: group.name, owner: group.owner.text, avatar: group.avatar,
            introduction: group.introduction, notice: group.notice, memberCount: count, created: group.created,
            joinPermission: group.joinPermission,
            invitePermission: group.invitePermission, extra: group.extra, isMuted: group.isMuted)
    }
}

extension ChatGroupMember {
    init(_ member: ChatDocument.Member) {
        self.init(
            user: member.user.text, role: ChatGroupRole(member.role), nickname: member.nickname, extra: member.extra,
            joined: member.joined)
    }
}

extension ChatDocument.Group {
    init(_ group: ChatGroup) {
        self.init(
            id: Identifier(group.id), name: group.name, owner: Identifier(group.owner), avatar: group.avatar,
            introduction: group.introduction, notice: group.notice, joinPermission: group.joinPermission,
            invitePermission: group.invitePermission,
            extra: group.extra, isMuted: group.isMuted)
    }
}

extension ChatGroupRole {
    init(_ role: ChatDocument.Member.Role) {
        self =
            switch role {
            case .owner: .owner
            case .admin: .admin
            case .member: .member
            }
    }
}

extension ChatDocument.Member.Role {
    init(_ role: ChatGroupRole) {
        self =
            switch role {
            case .owner: .owner
            case .admin: .admin
            case .member: .member
            }
    }
}
