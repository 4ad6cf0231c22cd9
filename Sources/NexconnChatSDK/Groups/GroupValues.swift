import Foundation
import NexconnProtocol

/// What a member of a group may do.
#if canImport(ObjectiveC)
    @objc(NCGroupMemberRole)
#endif
public enum GroupMemberRole: Int, Sendable {
    /// Not known, or all, in queries.
    case undef = 0
    case normal = 1
    case manager = 2
    case owner = 3

    /// Another name of ``manager``.
    public static var admin: GroupMemberRole { .manager }

    init(_ role: NexconnGroupRole) {
        self =
            switch role {
            case .owner: .owner
            case .admin: .manager
            case .member: .normal
            }
    }

    /// Nil for all.
    var wire: NexconnGroupRole? {
        switch self {
        case .undef: nil
        case .normal: .member
        case .manager: .admin
        case .owner: .owner
        }
    }
}

/// Who may join.
#if canImport(ObjectiveC)
    @objc(NCGroupJoinPermission)
#endif
public enum GroupJoinPermission: Int, Sendable {
    case ownerVerify = 0
    case free = 1
    case ownerOrAdminVerify = 2
    case noOneAllowed = 3
}

/// Who may do something in a group.
#if canImport(ObjectiveC)
    @objc(NCGroupOperationPermission)
#endif
public enum GroupOperationPermission: Int, Sendable {
    case owner = 0
    case ownerOrAdmin = 1
    case everyone = 2
}

/// What happened in a group.
#if canImport(ObjectiveC)
    @objc(NCGroupOperation)
#endif
public enum GroupOperation: Int, Sendable {
    case create = 0
    case join = 1
    case kick = 2
    case quit = 3
    case dismiss = 4
    case addAdmin = 5
    case removeAdmin = 6
    case transferGroupOwner = 7
}
