import ChatProtocol
import Foundation

/// A group to create.
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
    /// Members from the start, in addition to the signed-in user.
    @Guarded public var inviteeUserIds: [String]? = nil
    /// The address of the group's picture.
    @Guarded public var portraitUri: String? = nil
    /// A text about the group.
    @Guarded public var introduction: String? = nil
    /// A notice for the members.
    @Guarded public var notice: String? = nil
    /// Values of the application.
    @Guarded public var extProfile: [String: String]? = nil
    /// Who may join.
    @Guarded public var joinPermission: GroupJoinPermission = .free
    /// Who may invite users.
    @Guarded public var invitePermission: GroupOperationPermission = .everyone

    /// A group with an id and a name that everybody may join.
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

    /// The group for the server, which sets owner, member count and time.
    var wire: ChatGroup {
        ChatGroup(
            id: groupId, name: groupName, owner: "", avatar: portraitUri, introduction: introduction, notice: notice,
            joinPermission: joinPermission.rawValue, invitePermission: invitePermission.rawValue, extra: extProfile ?? [:])
    }
}

/// Changes of a group; properties that are nil are not changed.
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
    /// A text about the group.
    @Guarded public var introduction: String? = nil
    /// A notice for the members.
    @Guarded public var notice: String? = nil
    /// Values of the application; they replace all former ones.
    @Guarded public var extProfile: [String: String]? = nil
    /// Who may join. Only the owner may change it.
    @Guarded public var joinPermission: GroupJoinPermission? = nil
    /// Who may invite users. Only the owner may change it.
    @Guarded public var invitePermission: GroupOperationPermission? = nil
    /// Whether only the owner and managers may send messages. An addition to the vendor's SDK, where only servers can change it.
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

/// Members to remove from a group.
#if canImport(ObjectiveC)
    @objc(NCKickMembersParams) @objcMembers
#endif
public final class KickMembersParams: NSObject, Sendable {
    /// The members to remove, 1 … 100.
    public let userIds: [String]

    /// Members with these ids.
    public init(userIds: [String]) {
        self.userIds = userIds
        super.init()
    }
}

/// The transfer of a group to another owner.
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

    /// A transfer after which the previous owner stays a member.
    public init(newOwnerId: String) {
        self.newOwnerId = newOwnerId
        super.init()
    }
}

/// Changes of a member's data; properties that are nil are not changed.
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
    /// A text of the application.
    @Guarded public var extra: String? = nil

    /// A change of the member's data without changed properties.
    public init(userId: String) {
        self.userId = userId
        super.init()
    }
}
