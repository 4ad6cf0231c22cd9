import ChatProtocol

extension GroupOperationEvent {
    convenience init(_ operation: ChatGroupOperation) {
        self.init(
            groupId: operation.group.id, operatorInfo: .operator(operation.operator), groupInfo: GroupInfo(operation.group),
            operation: GroupOperation(operation.kind), memberInfos: operation.members.map(GroupMemberInfo.init),
            operationTime: operation.time)
    }
}

extension GroupOperation {
    init(_ kind: ChatGroupOperation.Kind) {
        self =
            switch kind {
            case .create: .create
            case .join: .join
            case .kick: .kick
            case .quit: .quit
            case .dismiss: .dismiss
            case .addAdmin: .addAdmin
            case .removeAdmin: .removeAdmin
            case .transfer: .transferGroupOwner
            }
    }
}

extension GroupMemberInfo {
    /// The user who made the change, of whom only the id is known. Nil for the application's server.
    static func `operator`(_ user: String) -> GroupMemberInfo? {
        user.isEmpty ? nil : GroupMemberInfo(userId: user)
    }
}

extension GroupInfo {
    /// The property's name in this API for a member of the session's group.
    static func propertyName(_ member: String) -> String {
        switch member {
        case "name": "groupName"
        case "owner": "ownerId"
        case "avatar": "portraitUri"
        case "intro": "introduction"
        case "join": "joinPermission"
        case "invite": "invitePermission"
        case "ext": "extProfile"
        case "mutedAll": "isAllMuted"
        default: member
        }
    }
}
