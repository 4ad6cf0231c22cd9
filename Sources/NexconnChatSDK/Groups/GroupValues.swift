import ChatProtocol
import Foundation

/// The roles of a group's members.
#if canImport(ObjectiveC)
    @objc(NCGroupMemberRole)
#endif
public enum GroupMemberRole: Int, Sendable {
    /// The role is unknown. In queries, all roles.
    case undef = 0
    /// A member who may neither change the group nor remove members.
    case normal = 1
    /// A member who may change the group and remove normal members.
    case manager = 2
    /// The owner, who has all rights.
    case owner = 3

    /// Another name of ``manager``.
    public static var admin: GroupMemberRole { .manager }

    init(_ role: ChatGroupRole) {
        self =
            switch role {
            case .owner: .owner
            case .admin: .manager
            case .member: .normal
            }
    }

    /// The protocol's role; nil for all roles.
    var wire: ChatGroupRole? {
        switch self {
        case .undef: nil
        case .normal: .member
        case .manager: .admin
        case .owner: .owner
        }
    }
}

/// The users who may join a group. The raw values are those of the vendor's SDK.
#if canImport(ObjectiveC)
    @objc(NCGroupJoinPermission)
#endif
public enum GroupJoinPermission: Int, Sendable {
    /// Everybody may join, because this service does not ask the owner for approval.
    case ownerVerify = 0
    /// Everybody.
    case free = 1
    /// Only invited users may join.
    case ownerOrAdminVerify = 2
    /// Nobody.
    case noOneAllowed = 3
}

/// The members who may perform an operation in a group, such as inviting users.
#if canImport(ObjectiveC)
    @objc(NCGroupOperationPermission)
#endif
public enum GroupOperationPermission: Int, Sendable {
    /// The owner.
    case owner = 0
    /// The owner and the managers.
    case ownerOrAdmin = 1
    /// All members.
    case everyone = 2
}

/// The kinds of changes of a group's membership.
#if canImport(ObjectiveC)
    @objc(NCGroupOperation)
#endif
public enum GroupOperation: Int, Sendable {
    /// The group was created.
    case create = 0
    /// Users joined.
    case join = 1
    /// Members were removed.
    case kick = 2
    /// Members left.
    case quit = 3
    /// The group was dismissed.
    case dismiss = 4
    /// Members became managers.
    case addAdmin = 5
    /// Managers became normal members.
    case removeAdmin = 6
    /// The group was transferred to another owner.
    case transferGroupOwner = 7
}
