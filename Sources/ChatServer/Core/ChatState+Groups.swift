import ChatProtocol
import Identifiers
import ServerStorage

// Groups: joining, leaving and roles (rules CH-40 to CH-53).
extension ChatState {
    /// Creates a group with `actor.user` as the owner and `users` as further members.
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
                "The user has created \(share) existing groups, the most that one user may have: dismiss one of them first.")
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

    /// Adds users to a group. A client may add only its own user. The application's server may add any users.
    ///
    /// - Throws: ``ChatRefusal``, with the reason: for example 25412 for a member, 25414 if nobody may join, 25424 if an approval is
    ///   needed.
    package mutating func joinGroup(
        _ id: Identifier, users: [Identifier], by actor: ChatActor, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatGroupChange {
        let group = try knownGroup(id)
        if !actor.isServer {
            guard users == [actor.user] else {
                throw .badArgument("A client can add only its own user to a group: invite other users.")
            }
            // The vendor's values: 0 owner verifies, 1 free, 2 owner or admin verifies, 3 nobody. A group without a setting has 0. Since
            // there are no verifications here, nobody could join such a group, so 0 counts as free (rule CH-43).
            guard group.joinPermission != 3 else {
                throw ChatRefusal(ChatCode.nobodyMayJoin, "The group's settings do not allow anybody to join.")
            }
            guard group.joinPermission != 2 else {
                throw ChatRefusal(
                    ChatCode.needsApproval, "Joining the group needs the approval of an admin: ask an admin for an invitation.")
            }
        }
        return try add(users, to: id, by: actor, at: now, into: &commit)
    }

    /// Adds users whom a member invites. Throws 25426 when the member may not invite.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func inviteToGroup(
        _ id: Identifier, users: [Identifier], by actor: ChatActor, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatGroupChange {
        let group = try knownGroup(id)
        if !actor.isServer {
            let role = try role(of: actor.user, in: id)
            // The vendor's values of `invitePermission`: 0 owner, 1 owner or admin, 2 everyone.
            guard role == .owner || (role == .admin && group.invitePermission >= 1) || group.invitePermission >= 2 else {
                throw ChatRefusal(ChatCode.mayNotInvite, "The user's role in the group does not permit invitations.")
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

    /// Checks whether users may join one more group, and may have inboxes for its messages (rules CH-105 and CH-106).
    ///
    /// Call it after all other checks, because it also records that the acting user has caused inboxes of users who are not registered;
    /// each user may cause a limited number of them.
    private mutating func checkRoom(forMembers users: [Identifier], by actor: ChatActor) throws(ChatRefusal) {
        try checkRoom(forInboxesOf: users)
        let limit = application.limits.groupsPerUser
        guard actor.isServer || users.allSatisfy({ groups.groups(of: $0).count < limit }) else {
            throw .badArgument("A user may be in at most \(limit) groups.")
        }
        if !actor.isServer { try takeShare(ofInboxes: users, by: actor.user) }
    }

    /// Checks whether a user may add others to a group: they must not block the inviter, and the inviter must not be muted in all groups,
    /// because a group's name carries content, too.
    private func checkInviting(
        _ users: [Identifier], by inviter: Identifier, at now: Int64
    ) throws(ChatRefusal) {
        guard !restrictions.contains(.muted, in: .all(.group), user: inviter, at: now) else {
            throw ChatRefusal(ChatCode.mutedInGroup, "A user who is muted in all groups may not add others to a group.")
        }
        guard !users.contains(where: { restrictions.contains(.blocked, in: .user($0), user: inviter, at: .min) }) else {
            throw ChatRefusal(ChatCode.blockedByReceiver, "One of the invited users has blocked the inviting user.")
        }
    }

    /// Removes users from a group at their own request. Throws 25417 for the owner, who cannot leave.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func quitGroup(
        _ id: Identifier, users: [Identifier], by actor: ChatActor, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatGroupChange {
        guard actor.isServer || users == [actor.user] else {
            throw .badArgument("A client can quit a group only for its own user: kick other users to remove them.")
        }
        return try remove(users, from: id, .quit, by: actor, at: now, into: &commit)
    }

    /// Removes members from a group. The owner may remove any member, and an admin only ordinary members.
    ///
    /// - Throws: ``ChatRefusal``, with the reason: 25405 without permission, 25417 for the owner as a member to remove, 25418 if none
    ///   of the users is a member.
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
            throw ChatRefusal(
                ChatCode.ownerCannotQuit, "The owner cannot leave the group: transfer the group to another member, or dismiss it."
            )
        }
        guard users.contains(where: { groups.member($0, of: id) != nil }) else { throw Self.notMember }
        let before = groups.users(of: id)
        var removed: [ChatDocument.Member] = []
        for user in users {
            guard let member = groups.removeMember(user, of: id, into: &commit) else { continue }
            removed.append(member)
            // The user's mute is not removed, because otherwise a muted user could leave and join again to end the mute (rule CH-53).
            restrictions.remove(.allowed, in: .channel(.group, id), user: user, into: &commit)
        }
        return change(operation, id, members: removed, by: actor, to: before, at: now)
    }

    /// Removes a group with all its members. Only the owner may dismiss it.
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

    /// Makes another member the owner, on behalf of the present owner, who also leaves the group if `leaves` is true.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func transferGroup(
        _ id: Identifier, to user: Identifier, leaves: Bool, by actor: ChatActor, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> [ChatGroupChange] {
        var group = try knownGroup(id)
        let former = group.owner
        guard actor.isServer || former == actor.user else { throw Self.noPermission }
        guard var next = groups.member(user, of: id), var last = groups.member(former, of: id) else { throw Self.notMember }
        guard user != former else { throw .badArgument("The user is already the owner of the group.") }
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

    /// Makes the members in `add` admins, and the admins in `remove` ordinary members. Only the owner may do this.
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
            throw ChatRefusal(ChatCode.tooManyAdmins, "A group may have at most \(application.limits.groupAdmins) admins.")
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

    /// The operator of a change is the acting user. For a server API call without an operator, it is the affected user.
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
        ChatRefusal(ChatCode.tooManyMembers, "A group may have at most \(application.limits.groupMembers) members.")
    }

    static let notMember = ChatRefusal(ChatCode.notMember, "The user is not a member of the group.")
    static let noPermission = ChatRefusal(ChatCode.noPermission, "The user's role in the group does not permit this request.")

    func checkTexts(of group: ChatDocument.Group) throws(ChatRefusal) {
        guard !group.name.isEmpty else { throw ChatRefusal(ChatCode.groupNameEmpty, "The name of a group must not be empty.") }
        let texts = [
            (group.name, 256), (group.avatar ?? "", 1_024), (group.introduction ?? "", 4_096), (group.notice ?? "", 8_192),
        ]
        guard texts.allSatisfy({ $0.0.utf8.count <= $0.1 }), group.extra.count <= 20,
            group.extra.allSatisfy({ $0.key.utf8.count <= 64 && $0.value.utf8.count <= 4_096 })
        else {
            throw ChatRefusal(
                ChatCode.groupTextTooLong,
                "A text of the group is too long. The limits in bytes are: name 256, avatar 1,024, introduction 4,096, notice 8,192, "
                    + "and 20 extra values of 4,096 with keys of 64.")
        }
        let bytes =
            texts.reduce(0) { $0 + $1.0.utf8.count } + group.extra.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard bytes <= application.limits.groupBytes else {
            throw ChatRefusal(
                ChatCode.groupTextTooLong,
                "All texts of a group together may have at most \(application.limits.groupBytes) bytes.")
        }
        guard (0...3).contains(group.joinPermission), (0...2).contains(group.invitePermission) else {
            throw .badArgument("joinPermission is 0 to 3, and invitePermission is 0 to 2.")
        }
    }
}
