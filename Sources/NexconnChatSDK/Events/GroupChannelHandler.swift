import Foundation

#if canImport(ObjectiveC)
    /// Hears about the user's groups. Every method is optional.
    @objc(NCGroupChannelHandler) public protocol GroupChannelHandler: AnyObject {
        @objc optional func onGroupOperation(_ event: GroupOperationEvent)
        @objc optional func onGroupInfoChanged(_ event: GroupInfoChangedEvent)
        @objc optional func onGroupMemberInfoChanged(_ event: GroupMemberInfoChangedEvent)
    }
#else
    /// Hears about the user's groups. Every method is optional.
    ///
    /// Called on the library's callback queue, in the order in which things happened (rule NC-20).
    public protocol GroupChannelHandler: AnyObject {
        /// Somebody joined or left a group, or the group's staff changed.
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

// `@unchecked Sendable` of the classes below: immutable.

/// Somebody joined or left a group, or the group's staff changed.
#if canImport(ObjectiveC)
    @objc(NCGroupOperationEvent) @objcMembers
#endif
public final class GroupOperationEvent: NSObject, @unchecked Sendable {
    public let groupId: String
    /// Who did it; nil when the server did.
    public let operatorInfo: GroupMemberInfo?
    /// As it is now.
    public let groupInfo: GroupInfo
    public let operation: GroupOperation
    /// Whom it happened to.
    public let memberInfos: [GroupMemberInfo]
    /// Milliseconds since 1970.
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

/// A group's own data changed.
#if canImport(ObjectiveC)
    @objc(NCGroupInfoChangedEvent) @objcMembers
#endif
public final class GroupInfoChangedEvent: NSObject, @unchecked Sendable {
    /// Who did it; nil when the server did.
    public let operatorInfo: GroupMemberInfo?
    /// As it is now.
    public let groupInfo: GroupInfo
    /// The names of the properties that changed, as in ``GroupInfo``.
    public let changedProperties: [String]
    /// Milliseconds since 1970.
    public let operationTime: Int64

    init(operatorInfo: GroupMemberInfo?, groupInfo: GroupInfo, changedProperties: [String], operationTime: Int64) {
        self.operatorInfo = operatorInfo
        self.groupInfo = groupInfo
        self.changedProperties = changedProperties
        self.operationTime = operationTime
        super.init()
    }
}

/// A member's data changed.
#if canImport(ObjectiveC)
    @objc(NCGroupMemberInfoChangedEvent) @objcMembers
#endif
public final class GroupMemberInfoChangedEvent: NSObject, @unchecked Sendable {
    public let groupId: String
    /// Who did it; nil when the server did.
    public let operatorInfo: GroupMemberInfo?
    /// As it is now.
    public let memberInfo: GroupMemberInfo
    /// Milliseconds since 1970.
    public let operationTime: Int64

    init(groupId: String, operatorInfo: GroupMemberInfo?, memberInfo: GroupMemberInfo, operationTime: Int64) {
        self.groupId = groupId
        self.operatorInfo = operatorInfo
        self.memberInfo = memberInfo
        self.operationTime = operationTime
        super.init()
    }
}
