import Identifiers

/// What happened to a group and its members. The words are those of the wire (session document 7).
public enum ChatGroupOperation: String, CaseIterable, Hashable, Sendable {
    case create, join, kick, quit, dismiss, addAdmin, removeAdmin, transfer
}

/// A change of a group that its members are told.
public struct ChatGroupChange: Hashable, Sendable {
    public var operation: ChatGroupOperation
    /// As it is after the change, or was before it was dismissed.
    public var group: ChatGroup
    public var memberCount: Int
    public var `operator`: Identifier
    /// Whom it happened to.
    public var members: [ChatMember]
    public var time: Int64
    /// All members, and those who were members before.
    public var recipients: ChatRecipients
}

/// Changes to a group's facts; nil leaves as it is.
public struct ChatGroupUpdate: Hashable, Sendable {
    public var name: String?
    public var avatar: String?
    public var introduction: String?
    public var notice: String?
    public var joinPermission: Int?
    public var invitePermission: Int?
    public var extra: [String: String]?
    public var isMuted: Bool?

    public init() {}
}

/// A group's facts changed.
public struct ChatGroupInfoChange: Hashable, Sendable {
    public var group: ChatGroup
    public var memberCount: Int
    /// Names of the wire's members, by alphabet.
    public var changed: [String]
    public var `operator`: Identifier
    public var time: Int64
    public var recipients: ChatRecipients
}

/// What a group calls a member changed.
public struct ChatMemberChange: Hashable, Sendable {
    public var member: ChatMember
    public var `operator`: Identifier
    public var time: Int64
    public var recipients: ChatRecipients
}

/// A group as others see it.
public struct ChatGroupInfo: Hashable, Sendable {
    public var group: ChatGroup
    public var memberCount: Int
}
