import Foundation
import NexconnProtocol

/// A group.
#if canImport(ObjectiveC)
    @objc(NCGroupInfo) @objcMembers
#endif
public final class GroupInfo: NSObject, Sendable {
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
#if canImport(ObjectiveC)
    @objc(NCGroupMemberInfo) @objcMembers
#endif
public final class GroupMemberInfo: NSObject, Sendable {
    public let userId: String
    /// What the member is called in this group.
    public let nickname: String?
    public let extra: String?
    /// `undef` where only the id is known.
    public let role: GroupMemberRole
    /// When the member joined, ms since 1970; 0 where only the id is known.
    public let joinedTime: Int64

    init(_ member: NexconnGroupMember) {
        userId = member.user
        nickname = member.nickname
        extra = member.extra
        role = GroupMemberRole(member.role)
        joinedTime = member.joined
        super.init()
    }

    init(userId: String) {
        self.userId = userId
        nickname = nil
        extra = nil
        role = .undef
        joinedTime = 0
        super.init()
    }
}
