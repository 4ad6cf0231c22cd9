import ChatProtocol
import Foundation

/// The data of a group.
#if canImport(ObjectiveC)
    @objc(NCGroupInfo) @objcMembers
#endif
public final class GroupInfo: NSObject, Sendable {
    private let group: ChatGroup

    init(_ group: ChatGroup) {
        self.group = group
        super.init()
    }

    /// The group's id.
    public var groupId: String { group.id }
    /// The group's name.
    public var groupName: String { group.name }
    /// The owner's user id.
    public var ownerId: String { group.owner }
    /// The address of the group's picture.
    public var portraitUri: String? { group.avatar }
    /// Another name of ``portraitUri``.
    public var avatarUrl: String? { group.avatar }
    /// A text that introduces the group.
    public var introduction: String? { group.introduction }
    /// A notice for the members.
    public var notice: String? { group.notice }
    /// How many members the group has.
    public var memberCount: Int { group.memberCount }
    /// When the group was created, milliseconds since 1970.
    public var createTime: Int64 { group.created }
    /// Who may join.
    public var joinPermission: GroupJoinPermission { GroupJoinPermission(rawValue: group.joinPermission) ?? .ownerVerify }
    /// Which members may invite users to the group.
    public var invitePermission: GroupOperationPermission { GroupOperationPermission(rawValue: group.invitePermission) ?? .owner }
    /// Additional values that the application defines, by name.
    public var extProfile: [String: String] { group.extra }
    /// Whether only the owner, the managers and the users on the group's allowlist may send messages.
    public var isAllMuted: Bool { group.isMuted }
}

/// A member of a group.
#if canImport(ObjectiveC)
    @objc(NCGroupMemberInfo) @objcMembers
#endif
public final class GroupMemberInfo: NSObject, Sendable {
    /// The member's user id.
    public let userId: String
    /// The member's name in this group.
    public let nickname: String?
    /// An additional text that the application defines.
    public let extra: String?
    /// The member's role; ``GroupMemberRole/undef`` in events that contain only the id.
    public let role: GroupMemberRole
    /// When the member joined, in milliseconds since 1970; 0 in events that contain only the id.
    public let joinedTime: Int64

    init(_ member: ChatGroupMember) {
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
