import Foundation

#if canImport(ObjectiveC)
    /// Receives events of the user's groups. Every method is optional.
    @objc(NCGroupChannelHandler) public protocol GroupChannelHandler: AnyObject {
        @objc optional func onGroupOperation(_ event: GroupOperationEvent)
        @objc optional func onGroupInfoChanged(_ event: GroupInfoChangedEvent)
        @objc optional func onGroupMemberInfoChanged(_ event: GroupMemberInfoChangedEvent)
    }
#else
    /// Receives events of the user's groups. Every method is optional.
    ///
    /// The methods are called on the callback queue, in the order of the events (rule NC-20).
    public protocol GroupChannelHandler: AnyObject {
        /// A user joined or left a group, or the group's owner or managers changed.
        func onGroupOperation(_ event: GroupOperationEvent)
        /// The data of a group changed, such as its name.
        func onGroupInfoChanged(_ event: GroupInfoChangedEvent)
        /// The data of a group's member changed, such as the nickname.
        func onGroupMemberInfoChanged(_ event: GroupMemberInfoChangedEvent)
    }

    extension GroupChannelHandler {
        public func onGroupOperation(_ event: GroupOperationEvent) {}
        public func onGroupInfoChanged(_ event: GroupInfoChangedEvent) {}
        public func onGroupMemberInfoChanged(_ event: GroupMemberInfoChangedEvent) {}
    }
#endif

/// The event that a user joined or left a group, or that the group's owner or managers changed.
#if canImport(ObjectiveC)
    @objc(NCGroupOperationEvent) @objcMembers
#endif
public final class GroupOperationEvent: NSObject, Sendable {
    /// The group's id.
    public let groupId: String
    /// The member who made the change; nil when the application's server made it.
    public let operatorInfo: GroupMemberInfo?
    /// The data of the group after the change.
    public let groupInfo: GroupInfo
    /// The kind of change, such as a user joining.
    public let operation: GroupOperation
    /// The members who joined, left or got another role.
    public let memberInfos: [GroupMemberInfo]
    /// When the change happened, milliseconds since 1970.
    public let operationTime: Int64

    init(
        groupId: String, operatorInfo: GroupMemberInfo?, groupInfo: GroupInfo, operation: GroupOperation,
        memberInfos: [GroupMemberInfo], operationTime: Int64
    ) {
        self.groupId = groupId
        self.operatorInfo = operatorInfo
        self.groupInfo = groupInfo
        self.operation = operation
        self.memberInfos = memberInfos
        self.operationTime = operationTime
        super.init()
    }
}

/// The event that the data of a group changed, such as its name.
#if canImport(ObjectiveC)
    @objc(NCGroupInfoChangedEvent) @objcMembers
#endif
public final class GroupInfoChangedEvent: NSObject, Sendable {
    /// The member who made the change; nil when the application's server made it.
    public let operatorInfo: GroupMemberInfo?
    /// The data of the group after the change.
    public let groupInfo: GroupInfo
    /// The names of the changed properties of ``GroupInfo``.
    public let changedProperties: [String]
    /// When the change happened, milliseconds since 1970.
    public let operationTime: Int64

    init(operatorInfo: GroupMemberInfo?, groupInfo: GroupInfo, changedProperties: [String], operationTime: Int64) {
        self.operatorInfo = operatorInfo
        self.groupInfo = groupInfo
        self.changedProperties = changedProperties
        self.operationTime = operationTime
        super.init()
    }
}

/// The event that the data of a group's member changed.
#if canImport(ObjectiveC)
    @objc(NCGroupMemberInfoChangedEvent) @objcMembers
#endif
public final class GroupMemberInfoChangedEvent: NSObject, Sendable {
    /// The group's id.
    public let groupId: String
    /// The member who made the change; nil when the application's server made it.
    public let operatorInfo: GroupMemberInfo?
    /// The data of the member after the change.
    public let memberInfo: GroupMemberInfo
    /// When the change happened, milliseconds since 1970.
    public let operationTime: Int64

    init(groupId: String, operatorInfo: GroupMemberInfo?, memberInfo: GroupMemberInfo, operationTime: Int64) {
        self.groupId = groupId
        self.operatorInfo = operatorInfo
        self.memberInfo = memberInfo
        self.operationTime = operationTime
        super.init()
    }
}
