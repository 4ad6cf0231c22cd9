import Foundation
import NexconnProtocol

/// A group.
///
/// `@unchecked Sendable`: immutable.
public final class GroupInfo: NSObject, @unchecked Sendable {
    private let group: NexconnGroup

    init(_ group: NexconnGroup) {
        self.group = group
        super.init()
    }

    public var groupId: String { group.id }
    public var groupName: String { group.name }
    public var ownerId: String { group.owner }
    /// Where the picture is.
    public var portraitUri: String? { group.avatar }
    /// Another name of ``portraitUri``.
    public var avatarUrl: String? { group.avatar }
    public var introduction: String? { group.introduction }
    public var notice: String? { group.notice }
    public var memberCount: Int { group.memberCount }
    /// Milliseconds since 1970.
    public var createTime: Int64 { group.created }
    public var joinPermission: GroupJoinPermission { GroupJoinPermission(rawValue: group.joinPermission) ?? .ownerVerify }
    public var invitePermission: GroupOperationPermission { GroupOperationPermission(rawValue: group.invitePermission) ?? .owner }
    /// The application's own members.
    public var extProfile: [String: String] { group.extra }
    /// Whether only the owner and those who are allowed may speak.
    public var isAllMuted: Bool { group.isMuted }
}

/// A member of a group.
///
/// `@unchecked Sendable`: immutable.
public final class GroupMemberInfo: NSObject, @unchecked Sendable {
    private let member: NexconnGroupMember

    init(_ member: NexconnGroupMember) {
        self.member = member
        super.init()
    }

    public var userId: String { member.user }
    /// What the member is called in this group.
    public var nickname: String? { member.nickname }
    public var extra: String? { member.extra }
    public var role: GroupMemberRole {
        switch member.role {
        case .owner: .owner
        case .admin: .manager
        case .member: .normal
        }
    }
    /// When the member joined, ms since 1970.
    public var joinedTime: Int64 { member.joined }
}
