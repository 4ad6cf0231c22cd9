import ChatProtocol
import Identifiers
import ServerStorage

// Groups: joining and leaving, roles (rules CH-40 to CH-53).
extension ChatState {
    /// Creates a group that `actor.user` owns, with further members.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func createGroup(
        _ group: ChatDocument.Group, users: [Identifier], by actor: ChatActor, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatGroupChange {
        try ChatID.check(group.id, "the group")
        try ChatID.check(actor.user, "the owner")
        for user in users { try ChatID.check(user, "a user") }
        try checkTexts(of: group)
        guard groups[group.id] == nil else { throw ChatRefusal(ChatCode.groupExists, "The group exists.") }
        var seen: Set<Identifier> = [actor.user]
        let others = users.filter { seen.insert($0).inserted }
        guard others.count < application.limits.groupMembers else { throw tooManyMembers }
        guard groups.count < application.limits.groups else {
            throw .badArgument("The application has reached its limit of \(application.limits.groups) groups.")
        }
        let share = application.limits.groupsMadePerUser
        guard actor.isServer || groups.madeCount(by: actor.user) < share else {
            throw .badArgument(
                "The user has created \(share) groups that exist, which is the share of one user: dismiss one first.")
        }
        if !actor.isServer { try checkInviting(others, by: actor.user, at: now) }
        try checkRoom(forMembers: [actor.user] + others, by: actor)
        var created = group
        created.owner = actor.user
        created.created = now
        created.creator = actor.isServer ? nil : actor.user
        groups.put(created, into: &commit)
        var members = [ChatDocument.Member(group: group.id, user: actor.user, role: .owner, joined: now)]
        members += others.map { ChatDocument.Member(group: group.id, user: $0, joined: now) }
        for member in members { groups.put(member, into: &commit) }
        return change(.create, group.id, members: members, by: actor, to: groups.users(of: group.id), at: now)
    }

    /// A user joins a group; codes 25412, 25414 or 25424 when this is not allowed. The application's server may add any users.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func joinGroup(
        _ id: Identifier, users: [Identifier], by actor: ChatActor, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatGroupChange {
        let group = try knownGroup(id)
        if !actor.isServer {
            guard users == [actor.user] else {
                throw .badArgument("A client can add only its own user to a group. To add others, invite them.")
            }
            // The vendor's values: 0 owner verifies, 1 free, 2 owner or admin verifies, 3 nobody. A group without a setting has 0,
            // and nobody could join it without a verification, which does not exist here: 0 counts as free (rule CH-43).
            guard group.joinPermission != 3 else { throw ChatRefusal(ChatCode.nobodyMayJoin, "Nobody may join the group.") }
            guard group.joinPermission != 2 else {
                throw ChatRefusal(ChatCode.needsApproval, "Joining needs the approval of an admin: ask to be invited.")
            }
        }
        return try add(users, to: id, by: actor, at: now, into: &commit)
    }

    /// A member invites others. Code 25426 when the member may not.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func inviteToGroup(
        _ id: Identifier, users: [Identifier], by actor: ChatActor, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatGroupChange {
        let group = try knownGroup(id)
        if !actor.isServer {
            let role = try role(of: actor.user, in: id)
            // The vendor's values: 0 owner, 1 owner or admin, 2 everyone.
            guard role == .owner || (role == .admin && group.invitePermission >= 1) || group.invitePermission >= 2 else {
                throw ChatRefusal(ChatCode.mayNotInvite, "The user may not invite others.")
            }
            try checkInviting(users, by: actor.user, at: now)
        }
        return try add(users, to: id, by: actor, at: now, into: &commit)
    }

    private mutating func add(
        _ users: [Identifier], to id: Identifier, by actor: ChatActor, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatGroupChange {
        try ChatID.check(users, "a user", limit: actor.isServer ? 1_000 : 100)
        var seen: Set<Identifier> = []
        let fresh = users.filter { groups.member($0, of: id) == nil && seen.insert($0).inserted }
        guard !fresh.isEmpty else { throw ChatRefusal(ChatCode.alreadyMember, "A member already.") }
        guard groups.count(of: id) + fresh.count <= application.limits.groupMembers else { throw tooManyMembers }
        try checkRoom(forMembers: fresh, by: actor)
        let members = fresh.map { ChatDocument.Member(group: id, user: $0, joined: now) }
        for member in members { groups.put(member, into: &commit) }
        return change(.join, id, members: members, by: actor, to: groups.users(of: id), at: now)
    }

    /// Checks whether users may join one more group, and have inboxes for its messages (rules CH-105 and CH-106).
    ///
    /// This is the last check, because it counts inboxes against the share of the acting user.
    private mutating func checkRoom(forMembers users: [Identifier], by actor: ChatActor) throws(ChatRefusal) {
        try checkRoom(forInboxesOf: users)
        let limit = application.limits.groupsPerUser
        guard actor.isServer || users.allSatisfy({ groups.groups(of: $0).count < limit }) else {
            throw .badArgument("A user may be in at most \(limit) groups.")
        }
        if !actor.isServer { try takeShare(ofInboxes: users, by: actor.user) }
    }

    /// A user cannot be added to a group by a user whom he blocks, nor by a user who is muted in all groups, because a group's name
    /// carries content too.
    private func checkInviting(
        _ users: [Identifier], by inviter: Identifier, at now: Int64
    ) throws(ChatRefusal) {
        guard !restrictions.contains(.muted, in: .all(.group), user: inviter, at: now) else {
            throw ChatRefusal(ChatCode.mutedInGroup, "The user is muted in all groups.")
        }
        guard !users.contains(where: { restrictions.contains(.blocked, in: .user($0), user: inviter, at: .min) }) else {
            throw ChatRefusal(ChatCode.blockedByReceiver, "One of the users blocks the one who invites.")
        }
    }

    /// Members leave the group. Code 25417 for the owner.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func quitGroup(
        _ id: Identifier, users: [Identifier], by actor: ChatActor, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatGroupChange {
        guard actor.isServer || users == [actor.user] else {
            throw .badArgument("A client can quit a group only for its own user. To remove others, kick them.")
        }
        return try remove(users, from: id, .quit, by: actor, at: now, into: &commit)
    }

    /// The owner removes any member, an admin ordinary members: 25405, 25417 or 25418 otherwise.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func kickFromGroup(
        _ id: Identifier, users: [Identifier], by actor: ChatActor, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatGroupChange {
        _ = try knownGroup(id)
        if !actor.isServer {
            let role = try role(of: actor.user, in: id)
            let isAllowed = users.allSatisfy { user in
                guard user != actor.user, let other = groups.member(user, of: id)?.role else { return user != actor.user }
                return other == .owner || role == .owner || (role == .admin && other == .member)
            }
            guard role != .member, isAllowed else { throw Self.noPermission }
        }
        return try remove(users, from: id, .kick, by: actor, at: now, into: &commit)
    }

    private mutating func remove(
        _ users: [Identifier], from id: Identifier, _ operation: ChatGroupOperation.Kind, by actor: ChatActor, at now: Int64,
        into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatGroupChange {
        let group = try knownGroup(id)
        try ChatID.check(users, "a user", limit: actor.isServer ? 1_000 : 100)
        guard !users.contains(group.owner) else {
            throw ChatRefusal(ChatCode.ownerCannotQuit, "The owner cannot leave the group: transfer or dismiss it.")
        }
        guard users.contains(where: { groups.member($0, of: id) != nil }) else { throw Self.notMember }
        let before = groups.users(of: id)
        var removed: [ChatDocument.Member] = []
        for user in users {
            guard let member = groups.removeMember(user, of: id, into: &commit) else { continue }
            removed.append(member)
            // A mute is kept: otherwise it would end by leaving and joining again (rule CH-53).
            restrictions.remove(.allowed, in: .channel(.group, id), user: user, into: &commit)
        }
        return change(operation, id, members: removed, by: actor, to: before, at: now)
    }

    /// The owner dismisses a group.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func dismissGroup(
        _ id: Identifier, by actor: ChatActor, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatGroupChange {
        let group = try knownGroup(id)
        guard actor.isServer || group.owner == actor.user else { throw Self.noPermission }
        let users = groups.users(of: id)
        let result = ChatGroupChange(
            operation: .dismiss, group: group, memberCount: 0, operator: actor.isServer ? group.owner : actor.user, members: [],
            time: now, recipients: ChatRecipients(users, others: users.count))
        groups.remove(id, into: &commit)
        restrictions.removeAll(in: .channel(.group, id), into: &commit)
        return result
    }

    /// The owner makes another member the owner, and leaves the group if requested.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func transferGroup(
        _ id: Identifier, to user: Identifier, leaves: Bool, by actor: ChatActor, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> [ChatGroupChange] {
        var group = try knownGroup(id)
        let former = group.owner
        guard actor.isServer || former == actor.user else { throw Self.noPermission }
        guard var next = groups.member(user, of: id), var last = groups.member(former, of: id) else { throw Self.notMember }
        guard user != former else { throw .badArgument("The user is the owner already.") }
        group.owner = user
        next.role = .owner
        last.role = .member
        groups.put(group, into: &commit)
        groups.put(next, into: &commit)
        groups.put(last, into: &commit)
        let actor = actor.isServer ? ChatActor.server(as: former) : actor
        let transfer = change(.transfer, id, members: [next, last], by: actor, to: groups.users(of: id), at: now)
        guard leaves else { return [transfer] }
        return [transfer, try remove([former], from: id, .quit, by: .server(as: former), at: now, into: &commit)]
    }

    /// The owner makes members admins and admins members.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func changeAdmins(
        _ id: Identifier, add: [Identifier], remove: [Identifier], by actor: ChatActor, at now: Int64,
        into commit: inout ChatCommit
    ) throws(ChatRefusal) -> [ChatGroupChange] {
        let group = try knownGroup(id)
        guard actor.isServer || group.owner == actor.user else { throw Self.noPermission }
        try ChatID.check(add + remove, "a user")
        guard !add.contains(group.owner) else { throw ChatRefusal(ChatCode.ownerAsAdmin, "The owner cannot be made an admin.") }
        guard add.allSatisfy({ groups.member($0, of: id) != nil }) else { throw Self.notMember }
        guard remove.allSatisfy({ groups.member($0, of: id)?.role == .admin }) else {
            throw ChatRefusal(ChatCode.notAdmin, "Not an admin.")
        }
        var admins = Set(groups.members(of: id).filter { $0.role == .admin }.map(\.user))
        admins.subtract(remove)
        admins.formUnion(add)
        guard admins.count <= application.limits.groupAdmins else {
            throw ChatRefusal(ChatCode.tooManyAdmins, "A group has at most \(application.limits.groupAdmins) admins.")
        }
        var changes: [ChatGroupChange] = []
        for (users, role, operation) in [
            (remove, ChatDocument.Member.Role.member, ChatGroupOperation.Kind.removeAdmin), (add, .admin, .addAdmin),
        ] {
            var changed: [ChatDocument.Member] = []
            for user in users {
                guard var member = groups.member(user, of: id), member.role != role else { continue }
                member.role = role
                groups.put(member, into: &commit)
                changed.append(member)
            }
            guard !changed.isEmpty else { continue }
            let actor = actor.isServer ? ChatActor.server(as: group.owner) : actor
            changes.append(change(operation, id, members: changed, by: actor, to: groups.users(of: id), at: now))
        }
        return changes
    }

    // MARK: Helpers

    func knownGroup(_ id: Identifier) throws(ChatRefusal) -> ChatDocument.Group {
        guard let group = groups[id] else { throw Self.noSuchGroup }
        return group
    }

    func role(of user: Identifier, in id: Identifier) throws(ChatRefusal) -> ChatDocument.Member.Role {
        guard let member = groups.member(user, of: id) else { throw Self.notMember }
        return member.role
    }

    /// A call of the server API without an operator is reported with the affected user as operator.
    private func change(
        _ operation: ChatGroupOperation.Kind, _ id: Identifier, members: [ChatDocument.Member], by actor: ChatActor,
        to users: [Identifier],
        at now: Int64
    ) -> ChatGroupChange {
        let `operator` = actor.user.isEmpty ? members.first?.user ?? "" : actor.user
        return ChatGroupChange(
            operation: operation, group: groups[id] ?? ChatDocument.Group(id: id, name: "", owner: ""),
            memberCount: groups.count(of: id),
            operator: `operator`, members: members, time: now, recipients: ChatRecipients(users, others: users.count))
    }

    private var tooManyMembers: ChatRefusal {
        ChatRefusal(ChatCode.tooManyMembers, "A group has at most \(application.limits.groupMembers) members.")
    }

    static let notMember = ChatRefusal(ChatCode.notMember, "Not a member of the group.")
    static let noPermission = ChatRefusal(ChatCode.noPermission, "The user may not do this.")

    func checkTexts(of group: ChatDocument.Group) throws(ChatRefusal) {
        guard !group.name.isEmpty else { throw ChatRefusal(ChatCode.groupNameEmpty, "A group needs a name.") }
        let texts = [
            (group.name, 256), (group.avatar ?? "", 1_024), (group.introduction ?? "", 4_096), (group.notice ?? "", 8_192),
        ]
        guard texts.allSatisfy({ $0.0.utf8.count <= $0.1 }), group.extra.count <= 20,
            group.extra.allSatisfy({ $0.key.utf8.count <= 64 && $0.value.utf8.count <= 4_096 })
        else { throw ChatRefusal(ChatCode.groupTextTooLong, "One of the texts is too long, or there are more than 20 extras.") }
        let bytes =
            texts.reduce(0) { $0 + $1.0.utf8.count } + group.extra.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard bytes <= application.limits.groupBytes else {
            throw ChatRefusal(
                ChatCode.groupTextTooLong, "The texts of a group have at most \(application.limits.groupBytes) bytes together.")
        }
        guard (0...3).contains(group.joinPermission), (0...2).contains(group.invitePermission) else {
            throw .badArgument("joinPermission is 0 to 3, and invitePermission is 0 to 2.")
        }
    }
}
