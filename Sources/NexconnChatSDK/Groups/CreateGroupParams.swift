import Foundation
import NexconnProtocol

/// A group to create.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCCreateGroupParams) @objcMembers
#endif
public final class CreateGroupParams: NSObject, @unchecked Sendable {
    /// 1 … 64 characters.
    public let groupId: String
    public let groupName: String
    /// Who is in it from the start, beside the user.
    @Guarded public var inviteeUserIds: [String]? = nil
    /// Where the picture is.
    @Guarded public var portraitUri: String? = nil
    @Guarded public var introduction: String? = nil
    @Guarded public var notice: String? = nil
    /// The application's own members.
    @Guarded public var extProfile: [String: String]? = nil
    @Guarded public var joinPermission: GroupJoinPermission = .free
    @Guarded public var invitePermission: GroupOperationPermission = .everyone

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

    /// The server puts in owner, count and time.
    var wire: NexconnGroup {
        NexconnGroup(
            id: groupId, name: groupName, owner: "", avatar: portraitUri, introduction: introduction, notice: notice,
            joinPermission: joinPermission.rawValue, invitePermission: invitePermission.rawValue, extra: extProfile ?? [:])
    }
}

/// What to change about a group; nil leaves as it is.
///
/// `@unchecked Sendable`: every property is `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCUpdateGroupInfoParams) @objcMembers
#endif
public final class UpdateGroupInfoParams: NSObject, @unchecked Sendable {
    @Guarded public var groupName: String? = nil
    /// Where the picture is.
    @Guarded public var portraitUri: String? = nil
    @Guarded public var introduction: String? = nil
    @Guarded public var notice: String? = nil
    /// The application's own members, all of them.
    @Guarded public var extProfile: [String: String]? = nil
    @Guarded public var joinPermission: GroupJoinPermission? = nil
    @Guarded public var invitePermission: GroupOperationPermission? = nil
    /// Whether only the owner and managers may speak. An addition to the vendor's SDK, where servers decide that.
    @Guarded public var isAllMuted: Bool? = nil

    /// Another name of ``portraitUri``.
    public var avatarUrl: String? {
        get { portraitUri }
        set { portraitUri = newValue }
    }

    var wire: NexconnGroupUpdate {
        var update = NexconnGroupUpdate()
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
    /// At most 100.
    public let userIds: [String]

    public init(userIds: [String]) {
        self.userIds = userIds
        super.init()
    }
}

/// To whom a group goes.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCTransferOwnerParams) @objcMembers
#endif
public final class TransferOwnerParams: NSObject, @unchecked Sendable {
    public let newOwnerId: String
    /// Whether the owner of before leaves the group.
    @Guarded public var leaveAfterTransfer = false

    public init(newOwnerId: String) {
        self.newOwnerId = newOwnerId
        super.init()
    }
}

/// What to change about a member; nil leaves as it is.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCSetMemberInfoParams) @objcMembers
#endif
public final class SetMemberInfoParams: NSObject, @unchecked Sendable {
    public let userId: String
    @Guarded public var nickname: String? = nil
    @Guarded public var extra: String? = nil

    public init(userId: String) {
        self.userId = userId
        super.init()
    }
}
