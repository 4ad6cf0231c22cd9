import Foundation

#if canImport(ObjectiveC)
    /// Gets events of the user's groups. Every method is optional.
    @objc(NCGroupChannelHandler) public protocol GroupChannelHandler: AnyObject {
        @objc optional func onGroupOperation(_ event: GroupOperationEvent)
        @objc optional func onGroupInfoChanged(_ event: GroupInfoChangedEvent)
        @objc optional func onGroupMemberInfoChanged(_ event: GroupMemberInfoChangedEvent)
    }
#else
    /// Gets events of the user's groups. Every method is optional.
    ///
    /// Called on the callback queue, in the order of the events (rule NC-20).
    public protocol GroupChannelHandler: AnyObject {
        /// A user joined or left a group, or the group's owner or managers changed.
        func onGroupOperation(_ event: GroupOperationEvent)
        /// A group's own data changed.
        func onGroupInfoChanged(_ event: GroupInfoChangedEvent)
        /// A member's data changed.
        func onGroupMemberInfoChanged(_ event: GroupMemberInfoChangedEvent)
    }

    extension GroupChannelHandler {
        public func onGroupOperation(_ event: GroupOperationEvent) {}
        public func onGroupInfoChanged(_ event: GroupInfoChangedEvent) {}
        public func onGroupMemberInfoChanged(_ event: GroupMemberInfoChangedEvent) {}
    }
#endif

/// A user joined or left a group, or the group's owner or managers changed.
#if canImport(ObjectiveC)
    @objc(NCGroupOperationEvent) @objcMembers
#endif
public final class GroupOperationEvent: NSObject, Sendable {
    /// The group's id.
    public let groupId: String
    /// The member who made the change; nil for the application's server.
    public let operatorInfo: GroupMemberInfo?
    /// The group's present data.
    public let groupInfo: GroupInfo
    /// The kind of event.
    public let operation: GroupOperation
    /// The members that the event concerns.
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

/// The data of a group changed, such as its name.
#if canImport(ObjectiveC)
    @objc(NCGroupInfoChangedEvent) @objcMembers
#endif
public final class GroupInfoChangedEvent: NSObject, Sendable {
    /// The member who made the change; nil for the application's server.
    public let operatorInfo: GroupMemberInfo?
    /// The group's present data.
    public let groupInfo: GroupInfo
    /// The names of the properties that changed, as in ``GroupInfo``.
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

/// The data of a group's member changed.
#if canImport(ObjectiveC)
    @objc(NCGroupMemberInfoChangedEvent) @objcMembers
#endif
public final class GroupMemberInfoChangedEvent: NSObject, Sendable {
    /// The group's id.
    public let groupId: String
    /// The member who made the change; nil for the application's server.
    public let operatorInfo: GroupMemberInfo?
    /// The member's present data.
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
