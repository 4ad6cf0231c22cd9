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
    /// The user who made a change, with only the id set. Nil when the application's server made the change.
    static func `operator`(_ user: String) -> GroupMemberInfo? {
        user.isEmpty ? nil : GroupMemberInfo(userId: user)
    }
}

extension GroupInfo {
    /// Converts the name of a field of the protocol's group to the name of the property in this API.
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
