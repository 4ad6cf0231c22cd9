import ChatProtocol
import Identifiers
import ServerStorage
import WireCoding

// Calls of the server API about groups (rules NA-40 to NA-44).
extension ChatAPICall {
    func performGroups(_ route: ChatAPIRoute) throws {
        switch route {
        case .createGroup: try createGroup()
        case .dismissGroup:
            perform(.dismissGroup(try fields.id("groupId").text), as: try fields.optionalID("userId") ?? "")
        case .joinGroup:
            let (group, users) = (try fields.id("groupId"), try fields.ids("userIds", upTo: 1_000))
            tell { state, change in
                try state.joinGroup(group, users: users, by: .server(), at: change.now, into: &change.commit)
            }
        case .leaveGroup:
            let (group, users) = (try fields.id("groupId"), try fields.ids("userIds", upTo: 1_000))
            tell { state, change in
                try state.quitGroup(group, users: users, by: .server(), at: change.now, into: &change.commit)
            }
        case .groups:
            let (after, size) = (try fields.optionalID("pageToken"), try page())
            try read { Self.groups($0.groupPage(after: after, limit: size)) }
        case .joinedGroups:
            let (user, after, size) = (try fields.id("userId"), try fields.optionalID("pageToken"), try page())
            try read { Self.groups(try $0.groups(of: user, after: after, limit: size)) }
        case .groupProfiles:
            let ids = try fields.ids("groupIds", upTo: 20)
            try read { ["groups": .array(try $0.groupInfo(ids).map { JSONValue($0) })] }
        default: try updateGroup()
        }
    }

    private func createGroup() throws(ChatAPIProblem) {
        let owner = try fields.id("userId")
        var group = ChatGroup(
            id: try fields.id("groupId").text, name: try fields.text("groupName", upTo: 256), owner: owner.text)
        group.avatar = try fields.optionalText("avatarUrl", upTo: 1_024)
        group.introduction = try fields.optionalText("introduction", upTo: 4_096)
        group.notice = try fields.optionalText("notice", upTo: 8_192)
        group.joinPermission = try fields.optionalWhole("joinPermission", 0...3) ?? 0
        group.invitePermission = try fields.optionalWhole("invitePermission", 0...2) ?? 0
        group.extra = try fields.pairs("extra") ?? [:]
        perform(.createGroup(group, users: try fields.optionalIDs("memberUserIds", upTo: 3_000)?.texts ?? []), as: owner)
    }

    private func updateGroup() throws(ChatAPIProblem) {
        var update = ChatGroupUpdate()
        update.name = try fields.optionalText("groupName", upTo: 256)
        update.avatar = try fields.optionalText("avatarUrl", upTo: 1_024)
        update.introduction = try fields.optionalText("introduction", upTo: 4_096)
        update.notice = try fields.optionalText("notice", upTo: 8_192)
        update.joinPermission = try fields.optionalWhole("joinPermission", 0...3)
        update.invitePermission = try fields.optionalWhole("invitePermission", 0...2)
        update.extra = try fields.pairs("extra")
        perform(.updateGroup(try fields.id("groupId").text, update), as: try fields.optionalID("userId") ?? "")
    }

    /// Changes the members of a group, and notifies its members.
    private func tell(_ decide: (inout ChatState, inout ChatChange) throws -> ChatGroupChange) {
        change { state, change in
            application.tell(try decide(&state, &change), state: &state, change: &change)
            return .nothing
        }
    }

    private static func groups(_ page: (groups: [ChatGroupInfo], hasMore: Bool)) -> JSONValue {
        let result: JSONValue = ["groups": .array(page.groups.map { JSONValue($0) })]
        return result.with("nextPageToken", page.hasMore ? page.groups.last.map { .id($0.group.id) } : nil)
    }
}

// MARK: - Members

extension ChatAPICall {
    func performMembers(_ route: ChatAPIRoute) throws {
        guard route != .kickFromAllGroups else { return kickFromAllGroups(try fields.id("userId")) }
        guard route != .frozenGroups else {
            let (after, size) = (try fields.optionalID("pageToken"), try page())
            return try read { Self.groups($0.groupPage(after: after, limit: size, isMuted: true)) }
        }
        let group = try fields.id("groupId")
        switch route {
        case .members:
            let (after, size) = (try fields.optionalID("pageToken"), try page())
            let role = try fields.optionalText("role").map { word throws(ChatAPIProblem) in
                guard let role = ChatDocument.Member.Role(rawValue: word) else { throw .field("role", "owner, admin or member") }
                return role
            }
            try read { Self.members(try $0.groupMembers(of: group, role: role, after: after, limit: size, by: .server())) }
        case .someMembers:
            let users = try fields.ids("userIds", upTo: 100)
            try read { Self.members(try $0.groupMembers(of: group, users: users, by: .server())) }
        case .setMember:
            let request = ChatRequest.setGroupMember(
                group.text, user: try fields.id("userId").text, nickname: try fields.optionalText("nickname", upTo: 256),
                extra: try fields.optionalText("extra"))
            perform(request)
        case .addAdmins: perform(.changeAdmins(group.text, add: try fields.ids("userIds", upTo: 100).texts, remove: []))
        case .removeAdmins: perform(.changeAdmins(group.text, add: [], remove: try fields.ids("userIds", upTo: 100).texts))
        case .transferGroup:
            let leaves = try fields.flag("isQuit", false)
            perform(.transferGroup(group.text, to: try fields.id("newOwnerId").text, leave: leaves))
        case .mutedInGroup:
            try read {
                let muted = try $0.mutedInGroup(group, at: application.now)
                return ["mutedUsers": Self.restrictions(muted, until: "muteExpiresAt")]
            }
        case .allowedInGroup:
            try read { ["userIds": .ids(try $0.allowedInGroup(group, at: application.now).map(\.user))] }
        case .freezeGroup, .unfreezeGroup: setFrozen(group, route == .freezeGroup)
        default: try restrict(route, group)
        }
    }

    private func restrict(_ route: ChatAPIRoute, _ group: Identifier) throws {
        let (users, minutes) = (try fields.ids("userIds", upTo: 100), try fields.minutes())
        change { state, change in
            switch route {
            case .muteInGroup:
                try state.muteInGroup(group, users: users, minutes: minutes, at: change.now, into: &change.commit)
            case .unmuteInGroup: try state.unmuteInGroup(group, users: users, into: &change.commit)
            case .allowInGroup: try state.allowInGroup(group, users: users, into: &change.commit)
            default: try state.disallowInGroup(group, users: users, into: &change.commit)
            }
            return .nothing
        }
    }

    private func setFrozen(_ group: Identifier, _ isFrozen: Bool) {
        change { state, change in
            var update = ChatGroupUpdate()
            update.isMuted = isFrozen
            if let news = try state.updateGroup(group, update, by: .server(), at: change.now, into: &change.commit) {
                application.tell(news, state: &state, change: &change)
            }
            return .nothing
        }
    }

    /// Removes a user from all groups except those that the user owns. The answer lists the owned groups.
    private func kickFromAllGroups(_ user: Identifier) {
        change { state, change in
            var after: Identifier?
            var owned: [Identifier] = []
            while true {
                let page = try state.groups(of: user, after: after, limit: 100)
                for info in page.groups {
                    guard info.group.owner != user else {
                        owned.append(info.group.id)
                        continue
                    }
                    let news = try state.kickFromGroup(
                        info.group.id, users: [user], by: .server(as: info.group.owner), at: change.now, into: &change.commit)
                    application.tell(news, state: &state, change: &change)
                }
                guard page.hasMore, let last = page.groups.last else { break }
                after = last.group.id
            }
            return ["ownedGroupIds": .ids(owned)]
        }
    }

    private static func members(_ page: (members: [ChatDocument.Member], hasMore: Bool)) -> JSONValue {
        let result: JSONValue = ["members": .array(page.members.map { JSONValue($0) })]
        return result.with("nextPageToken", page.hasMore ? page.members.last.map { .id($0.user) } : nil)
    }
}

extension JSONValue {
    init(_ info: ChatGroupInfo) {
        let group = info.group
        self = [
            "groupId": .id(group.id), "groupName": .string(group.name), "ownerId": .id(group.owner),
            "avatarUrl": .string(group.avatar ?? ""), "introduction": .string(group.introduction ?? ""),
            "notice": .string(group.notice ?? ""), "joinPermission": .whole(group.joinPermission),
            "invitePermission": .whole(group.invitePermission), "extra": .pairs(group.extra),
            "createdAt": .whole(group.created), "memberCount": .whole(info.memberCount), "isFrozen": .bool(group.isMuted),
        ]
    }

    init(_ member: ChatDocument.Member) {
        self = [
            "userId": .id(member.user), "role": .string(member.role.rawValue), "nickname": .string(member.nickname ?? ""),
            "extra": .string(member.extra ?? ""), "joinedAt": .whole(member.joined),
        ]
    }
}
