import Foundation
import NexconnProtocol

/// Which members of a group to list.
///
/// `@unchecked Sendable`: every property is `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCGroupMembersByRoleQueryParams) @objcMembers
#endif
public final class GroupMembersByRoleQueryParams: NSObject, @unchecked Sendable {
    @Guarded public var groupId: String = ""
    /// `undef` for all.
    @Guarded public var role: GroupMemberRole = .undef
    /// 1 … 100.
    @Guarded public var pageSize: Int32 = 50
    /// Members come in the order of their ids; whether from the first or, within each page, from the last.
    @Guarded public var isAscending = true
}

/// Which of the user's groups to list.
///
/// `@unchecked Sendable`: every property is `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCJoinedGroupsByRoleQueryParams) @objcMembers
#endif
public final class JoinedGroupsByRoleQueryParams: NSObject, @unchecked Sendable {
    /// The user's role in them; `undef` for all.
    @Guarded public var role: GroupMemberRole = .undef
    /// 1 … 100.
    @Guarded public var pageSize: Int32 = 50
}

/// Members to look for by their names in the group.
///
/// `@unchecked Sendable`: every property is `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCSearchGroupMembersQueryParams) @objcMembers
#endif
public final class SearchGroupMembersQueryParams: NSObject, @unchecked Sendable {
    @Guarded public var groupId: String = ""
    /// Part of a nickname or user id, in upper or lower case.
    @Guarded public var memberName: String = ""
    /// 1 … 100: how many members are looked at for a page, which has those of them that were found.
    @Guarded public var pageSize: Int32 = 50
}

/// Groups to look for among the user's.
#if canImport(ObjectiveC)
    @objc(NCSearchJoinedGroupsParams) @objcMembers
#endif
public final class SearchJoinedGroupsParams: NSObject, Sendable {
    /// Part of a name, in upper or lower case.
    public let groupName: String

    public init(groupName: String) {
        self.groupName = groupName
        super.init()
    }
}

public typealias GroupMembersQuery = PagedQuery<GroupMemberInfo>
public typealias JoinedGroupsQuery = PagedQuery<GroupInfo>

extension GroupChannel {
    /// The members of a group, by role. The user has to be a member.
    public static func createGroupMembersByRoleQuery(params: GroupMembersByRoleQueryParams) -> GroupMembersQuery {
        let (group, role, size, isAscending) = (params.groupId, params.role.wire, params.pageSize, params.isAscending)
        return members(group, role, size) { members in isAscending ? members : members.reversed() }
    }

    /// The members of a group whose nickname or id contains a text. The user has to be a member.
    ///
    /// Pages go on until members are found or the group ends.
    public static func createSearchGroupMembersQuery(params: SearchGroupMembersQueryParams) -> GroupMembersQuery {
        let keyword = params.memberName.lowercased()
        return members(params.groupId, nil, params.pageSize) { members in
            members.filter { member in
                member.userId.lowercased().contains(keyword) || member.nickname?.lowercased().contains(keyword) == true
            }
        }
    }

    /// The groups that the user is in, by role.
    public static func createJoinedGroupsByRoleQuery(params: JoinedGroupsByRoleQueryParams) -> JoinedGroupsQuery {
        let engine = NCEngine.engine
        let (role, limit) = (params.role.wire, PageSize.clamped(params.pageSize, to: 1...100))
        return PagedQuery(engine) { (after: String?, completion) in
            engine.ask(.myGroups(role: role, after: after, limit: limit), completion) { _, answer throws(NCError) in
                guard let page = answer.groups else { throw .strangeAnswer }
                return (PageData(page.groups.map(GroupInfo.init)), page.hasMore ? page.groups.last?.id : nil)
            }
        }
    }

    private static func members(
        _ group: String, _ role: NexconnGroupRole?, _ pageSize: Int32,
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
                        // An empty page would be the end of the list.
                        if found.isEmpty, let place, place != after { return next(place) }
                        completion(.success((PageData(found), place)))
                    }
                }
                let request = NexconnMembersRequest(group, role: role, after: after, limit: limit)
                engine.ask(.groupMembers(request), step) { _, answer throws(NCError) in
                    guard let page = answer.members else { throw .strangeAnswer }
                    return (pick(page.members.map(GroupMemberInfo.init)), page.hasMore ? page.members.last?.user : nil)
                }
            }
            next(after)
        }
    }
}
