import ChatProtocol
import Foundation

/// Selects members of a group by role.
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
    /// The order of a page's members by their ids: ascending or descending. Pages themselves are in ascending order.
    @Guarded public var isAscending = true
}

/// Selects groups of the user by role.
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

/// Selects members of a group by name.
///
/// `@unchecked Sendable`: every property is `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCSearchGroupMembersQueryParams) @objcMembers
#endif
public final class SearchGroupMembersQueryParams: NSObject, @unchecked Sendable {
    /// The group's id.
    @Guarded public var groupId: String = ""
    /// A part of the nickname or user id. Case does not matter.
    @Guarded public var memberName: String = ""
    /// How many members are compared for one page, 1 … 100. A page has those of them that match.
    @Guarded public var pageSize: Int32 = 50
}

/// Selects groups of the user by name.
#if canImport(ObjectiveC)
    @objc(NCSearchJoinedGroupsParams) @objcMembers
#endif
public final class SearchJoinedGroupsParams: NSObject, Sendable {
    /// A part of the group's name. Case does not matter.
    public let groupName: String

    /// Groups whose name contains `groupName`.
    public init(groupName: String) {
        self.groupName = groupName
        super.init()
    }
}

/// Pages of a group's members.
public typealias GroupMembersQuery = PagedQuery<GroupMemberInfo>
/// Pages of the user's groups.
public typealias JoinedGroupsQuery = PagedQuery<GroupInfo>

extension GroupChannel {
    /// Lists the members of a group by role, in pages. The signed-in user has to be a member.
    public static func createGroupMembersByRoleQuery(params: GroupMembersByRoleQueryParams) -> GroupMembersQuery {
        let (group, role, size, isAscending) = (params.groupId, params.role.wire, params.pageSize, params.isAscending)
        return members(of: group, role: role, pageSize: size) { members in isAscending ? members : members.reversed() }
    }

    /// Lists the members of a group whose nickname or id contains a text, in pages. The signed-in user has to be a member.
    ///
    /// Loading continues until matching members were found or the group has no more members.
    public static func createSearchGroupMembersQuery(params: SearchGroupMembersQueryParams) -> GroupMembersQuery {
        let keyword = params.memberName.lowercased()
        return members(of: params.groupId, role: nil, pageSize: params.pageSize) { members in
            members.filter { member in
                member.userId.lowercased().contains(keyword) || member.nickname?.lowercased().contains(keyword) == true
            }
        }
    }

    /// Lists the groups of the user by role, in pages.
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
                        // An empty page would mean the end of the list.
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
