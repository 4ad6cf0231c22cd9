import ChatProtocol
import Identifiers
import ServerStorage

// Groups: properties, members' names, queries and muting (rules CH-48 to CH-53).
extension ChatState {
    /// Changes a group's properties on behalf of the owner or an admin. Only the owner may change permissions; others get 25404.
    ///
    /// - Returns: nil when nothing changed.
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func updateGroup(
        _ id: Identifier, _ update: ChatGroupUpdate, by actor: ChatActor, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatGroupInfoChange? {
        var group = try knownGroup(id)
        let before = group
        if !actor.isServer {
            let role = try role(of: actor.user, in: id)
            guard role != .member else { throw Self.noPermission }
            guard role == .owner || (update.joinPermission == nil && update.invitePermission == nil) else {
                throw ChatRefusal(ChatCode.onlyOwner, "Only the owner may change the permissions of a group.")
            }
            try checkSpeaking(.group, id, by: actor.user, at: now)
        }
        if let name = update.name { group.name = name }
        if let avatar = update.avatar { group.avatar = avatar }
        if let introduction = update.introduction { group.introduction = introduction }
        if let notice = update.notice { group.notice = notice }
        if let permission = update.joinPermission { group.joinPermission = permission }
        if let permission = update.invitePermission { group.invitePermission = permission }
        if let extra = update.extra { group.extra = extra }
        if let isMuted = update.isMuted { group.isMuted = isMuted }
        try checkTexts(of: group)
        let changed = Self.differences(before, group)
        guard !changed.isEmpty else { return nil }
        groups.put(group, into: &commit)
        let users = groups.users(of: id)
        return ChatGroupInfoChange(
            group: group, memberCount: users.count, changed: changed, operator: actor.user.isEmpty ? group.owner : actor.user,
            time: now, recipients: ChatRecipients(users, others: users.count))
    }

    private static func differences(_ old: ChatDocument.Group, _ new: ChatDocument.Group) -> [String] {
        let all = [
            ("avatar", old.avatar != new.avatar), ("ext", old.extra != new.extra),
            ("intro", old.introduction != new.introduction),
            ("invite", old.invitePermission != new.invitePermission), ("join", old.joinPermission != new.joinPermission),
            ("mutedAll", old.isMuted != new.isMuted), ("name", old.name != new.name), ("notice", old.notice != new.notice),
        ]
        return all.filter(\.1).map(\.0)
    }

    /// Changes a member's profile in a group. Members may change their own profile, and the owner and admins also those of members with a
    /// lower role. Nil values stay unchanged.
    ///
    /// - Returns: nil when nothing changed.
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func setMember(
        _ user: Identifier, of id: Identifier, nickname: String?, extra: String?, by actor: ChatActor, at now: Int64,
        into commit: inout ChatCommit
    ) throws(ChatRefusal) -> ChatMemberChange? {
        _ = try knownGroup(id)
        guard var member = groups.member(user, of: id) else { throw Self.notMember }
        if !actor.isServer, actor.user != user {
            let role = try role(of: actor.user, in: id)
            guard role == .owner || (role == .admin && member.role == .member) else { throw Self.noPermission }
        }
        if !actor.isServer { try checkSpeaking(.group, id, by: actor.user, at: now) }
        guard nickname?.utf8.count ?? 0 <= 256, extra?.utf8.count ?? 0 <= 4_096 else {
            throw ChatRefusal(ChatCode.groupTextTooLong, "A nickname may have at most 256 bytes, and extra at most 4,096.")
        }
        let before = member
        if let nickname { member.nickname = nickname }
        if let extra { member.extra = extra }
        guard member != before else { return nil }
        groups.put(member, into: &commit)
        let users = groups.users(of: id)
        return ChatMemberChange(
            member: member, operator: actor.user.isEmpty ? user : actor.user, time: now,
            recipients: ChatRecipients(users, others: users.count))
    }

    // MARK: Queries

    /// The group with this id; nil when it does not exist.
    package func group(_ id: Identifier) -> ChatGroupInfo? {
        groups[id].map { ChatGroupInfo(group: $0, memberCount: groups.count(of: id)) }
    }

    /// The groups with these ids, without ids of groups that do not exist. A call may have 1 to 20 ids.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func groupInfo(_ ids: [Identifier]) throws(ChatRefusal) -> [ChatGroupInfo] {
        guard (1...20).contains(ids.count) else {
            throw ChatRefusal(ChatCode.tooManyGroupsInCall, "A request must name 1 to 20 groups.")
        }
        return ids.compactMap { group($0) }
    }

    /// Whether a user is a member of a group.
    package func isMember(_ user: Identifier, of id: Identifier) -> Bool { groups.member(user, of: id) != nil }

    /// Members of a group: those with the ids in `users`, or a page of all members, sorted by id. Only members may request them.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func groupMembers(
        of id: Identifier, users: [Identifier] = [], role: ChatDocument.Member.Role? = nil, after: Identifier? = nil,
        limit: Int = 50,
        by actor: ChatActor
    ) throws(ChatRefusal) -> (members: [ChatDocument.Member], hasMore: Bool) {
        _ = try knownGroup(id)
        if !actor.isServer { _ = try self.role(of: actor.user, in: id) }
        guard users.isEmpty else {
            try ChatID.check(users, "a user")
            return (users.compactMap { groups.member($0, of: id) }, false)
        }
        try Self.check(limit: limit)
        let matching = groups.members(of: id).filter { role == nil || $0.role == role }
        let page = Self.page(matching, by: \.user, after: after, limit: limit)
        return (page.elements, page.hasMore)
    }

    /// A page of a user's groups, sorted by id.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func groups(
        of user: Identifier, role: ChatDocument.Member.Role? = nil, after: Identifier? = nil, limit: Int = 50
    ) throws(ChatRefusal) -> (groups: [ChatGroupInfo], hasMore: Bool) {
        try Self.check(limit: limit)
        let matching = groups.groups(of: user).filter { role == nil || groups.member(user, of: $0)?.role == role }
        let page = Self.page(Array(matching), by: \.self, after: after, limit: limit)
        return (page.elements.compactMap { group($0) }, page.hasMore)
    }

    /// A page of all groups, sorted by id; with `isMuted`, only of groups whose members are all muted.
    package func groupPage(
        after: Identifier? = nil, limit: Int, isMuted: Bool = false
    ) -> (groups: [ChatGroupInfo], hasMore: Bool) {
        let matching = groups.ids.filter { !isMuted || groups[$0]?.isMuted == true }
        let page = Self.page(matching, by: \.self, after: after, limit: max(limit, 0))
        return (page.elements.compactMap { group($0) }, page.hasMore)
    }

    private static func check(limit: Int) throws(ChatRefusal) {
        guard (1...100).contains(limit) else { throw .badArgument("limit is 1 to 100.") }
    }

    private static func page<Element>(
        _ all: [Element], by key: (Element) -> Identifier, after: Identifier?, limit: Int
    ) -> (elements: [Element], hasMore: Bool) {
        let rest = all.filter { element in after.map { key(element) > $0 } ?? true }.sorted { key($0) < key($1) }
        return (Array(rest.prefix(limit)), rest.count > limit)
    }

    // MARK: Muting by the application's server

    /// Mutes members of a group for a number of minutes; nil mutes them without an end.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func muteInGroup(
        _ id: Identifier, users: [Identifier], minutes: Int? = nil, at now: Int64, into commit: inout ChatCommit
    ) throws(ChatRefusal) {
        let until = try minutes.map { minutes throws(ChatRefusal) in try Self.end(minutes: minutes, at: now) }
        try restrict(.muted, in: id, users: users, until: until, into: &commit)
    }

    /// Ends the muting of users in a group.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func unmuteInGroup(_ id: Identifier, users: [Identifier], into commit: inout ChatCommit) throws(ChatRefusal)
    {
        try lift(.muted, in: id, users: users, into: &commit)
    }

    /// The muted users of a group.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func mutedInGroup(_ id: Identifier, at now: Int64) throws(ChatRefusal) -> [ChatDocument.Restriction] {
        _ = try knownGroup(id)
        return restrictions.list(.muted, .channel(.group, id), at: now)
    }

    /// Allows users to send messages in a group while all members are muted.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func allowInGroup(_ id: Identifier, users: [Identifier], into commit: inout ChatCommit) throws(ChatRefusal) {
        try restrict(.allowed, in: id, users: users, until: nil, into: &commit)
    }

    /// Removes users from a group's allowlist.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func disallowInGroup(
        _ id: Identifier, users: [Identifier], into commit: inout ChatCommit
    ) throws(ChatRefusal) {
        try lift(.allowed, in: id, users: users, into: &commit)
    }

    /// The users on a group's allowlist.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func allowedInGroup(_ id: Identifier, at now: Int64) throws(ChatRefusal) -> [ChatDocument.Restriction] {
        _ = try knownGroup(id)
        return restrictions.list(.allowed, .channel(.group, id), at: now)
    }

    private mutating func restrict(
        _ kind: ChatDocument.Restriction.Kind, in id: Identifier, users: [Identifier], until: Int64?,
        into commit: inout ChatCommit
    ) throws(ChatRefusal) {
        _ = try knownGroup(id)
        try ChatID.check(users, "a user")
        guard users.allSatisfy({ groups.member($0, of: id) != nil }) else { throw Self.notMember }
        for user in users { restrictions.insert(kind, in: .channel(.group, id), user: user, until: until, into: &commit) }
    }

    private mutating func lift(
        _ kind: ChatDocument.Restriction.Kind, in id: Identifier, users: [Identifier], into commit: inout ChatCommit
    ) throws(ChatRefusal) {
        _ = try knownGroup(id)
        try ChatID.check(users, "a user")
        for user in users { restrictions.remove(kind, in: .channel(.group, id), user: user, into: &commit) }
    }
}
