import ChatProtocol
import Foundation

/// The parameters that select members of a group by role.
///
/// `@unchecked Sendable`: every property is `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCGroupMembersByRoleQueryParams) @objcMembers
#endif
public final class GroupMembersByRoleQueryParams: NSObject, @unchecked Sendable {
    /// The group's id.
    @Guarded public var groupId: String = ""
    /// The role of the members; ``GroupMemberRole/undef`` for all roles.
    @Guarded public var role: GroupMemberRole = .undef
    /// How many members a page has, 1 … 100.
    @Guarded public var pageSize: Int32 = 50
    /// Whether the members within a page are in ascending order of their ids, or in descending order. The pages are always in ascending
    /// order.
    @Guarded public var isAscending = true
}

/// The parameters that select groups of the user by role.
///
/// `@unchecked Sendable`: every property is `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCJoinedGroupsByRoleQueryParams) @objcMembers
#endif
public final class JoinedGroupsByRoleQueryParams: NSObject, @unchecked Sendable {
    /// The user's role in the groups; ``GroupMemberRole/undef`` for all roles.
    @Guarded public var role: GroupMemberRole = .undef
    /// How many groups a page has, 1 … 100.
    @Guarded public var pageSize: Int32 = 50
}

/// The parameters that select members of a group by name.
///
/// `@unchecked Sendable`: every property is `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCSearchGroupMembersQueryParams) @objcMembers
#endif
public final class SearchGroupMembersQueryParams: NSObject, @unchecked Sendable {
    /// The group's id.
    @Guarded public var groupId: String = ""
    /// A part of the member's nickname or user id, in any letter case.
    @Guarded public var memberName: String = ""
    /// How many members are compared with the name for one page, 1 … 100. The page contains those that match.
    @Guarded public var pageSize: Int32 = 50
}

/// The parameters that select groups of the user by name.
#if canImport(ObjectiveC)
    @objc(NCSearchJoinedGroupsParams) @objcMembers
#endif
public final class SearchJoinedGroupsParams: NSObject, Sendable {
    /// A part of the group's name, in any letter case.
    public let groupName: String

    /// Creates parameters that select the groups whose name contains `groupName`.
    public init(groupName: String) {
        self.groupName = groupName
        super.init()
    }
}

/// A list of a group's members that is loaded page by page.
public typealias GroupMembersQuery = PagedQuery<GroupMemberInfo>
/// A list of the user's groups that is loaded page by page.
public typealias JoinedGroupsQuery = PagedQuery<GroupInfo>

extension GroupChannel {
    /// Lists the members of a group by role, page by page. The signed-in user has to be a member.
    public static func createGroupMembersByRoleQuery(params: GroupMembersByRoleQueryParams) -> GroupMembersQuery {
        let (group, role, size, isAscending) = (params.groupId, params.role.wire, params.pageSize, params.isAscending)
        return members(of: group, role: role, pageSize: size) { members in isAscending ? members : members.reversed() }
    }

    /// Lists the members of a group whose nickname or id contains a text, page by page. The signed-in user has to be a member.
    ///
    /// A page without matching members is skipped, until matching members are found or the group has no more members.
    public static func createSearchGroupMembersQuery(params: SearchGroupMembersQueryParams) -> GroupMembersQuery {
        let keyword = params.memberName.lowercased()
        return members(of: params.groupId, role: nil, pageSize: params.pageSize) { members in
            members.filter { member in
                member.userId.lowercased().contains(keyword) || member.nickname?.lowercased().contains(keyword) == true
            }
        }
    }

    /// Lists the groups of the user by role, page by page.
    public static func createJoinedGroupsByRoleQuery(params: JoinedGroupsByRoleQueryParams) -> JoinedGroupsQuery {
        let engine = NCEngine.engine
        let (role, limit) = (params.role.wire, PageSize.clamped(params.pageSize, to: 1...100))
        return PagedQuery(engine) { (after: String?, completion) in
            engine.ask(.myGroups(role: role, after: after, limit: limit), completion: completion) { _, answer throws(NCError) in
                guard let page = answer.groups else { throw .strangeAnswer }
                return (PageData(page.groups.map(GroupInfo.init)), page.hasMore ? page.groups.last?.id : nil)
            }
        }
    }

    private static func members(
        of group: String, role: ChatGroupRole?, pageSize: Int32,
        _ pick: @escaping @Sendable ([GroupMemberInfo]) -> [GroupMemberInfo]
    ) -> GroupMembersQuery {
        let engine = NCEngine.engine
        let limit = PageSize.clamped(pageSize, to: 1...100)
        return PagedQuery(engine) {
            (after: String?, completion: @escaping Completion<(page: PageData<GroupMemberInfo>, next: String?)>) in
            @Sendable func next(_ after: String?) {
                let step: Completion<(found: [GroupMemberInfo], next: String?)> = { result in
                    switch result {
                    case .failure(let error): completion(.failure(error))
                    case .success(let (found, place)):
                        // An empty page is skipped, because callers take it for the end of the list.
                        if found.isEmpty, let place, place != after { return next(place) }
                        completion(.success((PageData(found), place)))
                    }
                }
                let request = ChatMembersRequest(group, role: role, after: after, limit: limit)
                engine.ask(.groupMembers(request), completion: step) { _, answer throws(NCError) in
                    guard let page = answer.members else { throw .strangeAnswer }
                    return (pick(page.members.map(GroupMemberInfo.init)), page.hasMore ? page.members.last?.user : nil)
                }
            }
            next(after)
        }
    }
}
