import ChatProtocol
import Foundation

/// The parameters of a group to be created.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCCreateGroupParams) @objcMembers
#endif
public final class CreateGroupParams: NSObject, @unchecked Sendable {
    /// The group's id, 1 … 64 characters.
    public let groupId: String
    /// The group's name.
    public let groupName: String
    /// The users who become members at once, in addition to the signed-in user.
    @Guarded public var inviteeUserIds: [String]? = nil
    /// The address of the group's picture.
    @Guarded public var portraitUri: String? = nil
    /// A text that introduces the group.
    @Guarded public var introduction: String? = nil
    /// A notice for the members.
    @Guarded public var notice: String? = nil
    /// Additional values that the application defines, by name.
    @Guarded public var extProfile: [String: String]? = nil
    /// Who may join.
    @Guarded public var joinPermission: GroupJoinPermission = .free
    /// Which members may invite users to the group.
    @Guarded public var invitePermission: GroupOperationPermission = .everyone

    /// Creates the parameters of a group that everybody may join.
    public init(groupId: String, groupName: String) {
        self.groupId = groupId
        self.groupName = groupName
        super.init()
    }

    /// Another name of ``portraitUri``.
    public var avatarUrl: String? {
        get { portraitUri }
        set { portraitUri = newValue }
    }

    /// The group as it is sent to the server, which sets owner, member count and creation time.
    var wire: ChatGroup {
        ChatGroup(
            id: groupId, name: groupName, owner: "", avatar: portraitUri, introduction: introduction, notice: notice,
            joinPermission: joinPermission.rawValue, invitePermission: invitePermission.rawValue, extra: extProfile ?? [:])
    }
}

/// The parameters of a change of a group; properties that are nil are not changed.
///
/// `@unchecked Sendable`: every property is `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCUpdateGroupInfoParams) @objcMembers
#endif
public final class UpdateGroupInfoParams: NSObject, @unchecked Sendable {
    /// The group's name.
    @Guarded public var groupName: String? = nil
    /// The address of the group's picture.
    @Guarded public var portraitUri: String? = nil
    /// A text that introduces the group.
    @Guarded public var introduction: String? = nil
    /// A notice for the members.
    @Guarded public var notice: String? = nil
    /// Additional values that the application defines, by name. They replace all present ones.
    @Guarded public var extProfile: [String: String]? = nil
    /// Who may join the group. Only the owner may change this.
    @Guarded public var joinPermission: GroupJoinPermission? = nil
    /// Who may invite users to the group. Only the owner may change this.
    @Guarded public var invitePermission: GroupOperationPermission? = nil
    /// Whether only the owner, the managers and the users on the group's allowlist may send messages. An addition to the vendor's SDK, with
    /// which only the application's server can change this setting.
    @Guarded public var isAllMuted: Bool? = nil

    /// Another name of ``portraitUri``.
    public var avatarUrl: String? {
        get { portraitUri }
        set { portraitUri = newValue }
    }

    var wire: ChatGroupUpdate {
        var update = ChatGroupUpdate()
        update.name = groupName
        update.avatar = portraitUri
        update.introduction = introduction
        update.notice = notice
        update.extra = extProfile
        update.joinPermission = joinPermission?.rawValue
        update.invitePermission = invitePermission?.rawValue
        update.isMuted = isAllMuted
        return update
    }
}

/// The parameters for removing members from a group.
#if canImport(ObjectiveC)
    @objc(NCKickMembersParams) @objcMembers
#endif
public final class KickMembersParams: NSObject, Sendable {
    /// The members to remove, 1 … 100.
    public let userIds: [String]

    /// Creates the parameters for removing the members with these ids.
    public init(userIds: [String]) {
        self.userIds = userIds
        super.init()
    }
}

/// The parameters for transferring a group to another owner.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCTransferOwnerParams) @objcMembers
#endif
public final class TransferOwnerParams: NSObject, @unchecked Sendable {
    /// The member who becomes the owner.
    public let newOwnerId: String
    /// Whether the previous owner leaves the group.
    @Guarded public var leaveAfterTransfer = false

    /// Creates the parameters of a transfer after which the previous owner stays a member.
    public init(newOwnerId: String) {
        self.newOwnerId = newOwnerId
        super.init()
    }
}

/// The parameters of a change of a member's data; properties that are nil are not changed.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCSetMemberInfoParams) @objcMembers
#endif
public final class SetMemberInfoParams: NSObject, @unchecked Sendable {
    /// The member's user id.
    public let userId: String
    /// The member's name in this group.
    @Guarded public var nickname: String? = nil
    /// An additional text that the application defines.
    @Guarded public var extra: String? = nil

    /// Creates parameters that change nothing yet; set the properties to be changed.
    public init(userId: String) {
        self.userId = userId
        super.init()
    }
}
