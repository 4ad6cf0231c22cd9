import Identifiers

/// An operation on a group and its members. The raw values are those of the wire (session document 7).
public enum ChatGroupOperation: String, CaseIterable, Hashable, Sendable {
    /// The kinds of changes of a group's membership.
    case create, join, kick, quit, dismiss, addAdmin, removeAdmin, transfer
}

/// A change of a group of which its members are notified.
public struct ChatGroupChange: Hashable, Sendable {
    /// The kind of change.
    public var operation: ChatGroupOperation
    /// As it is after the change, or was before it was dismissed.
    public var group: ChatGroup
    /// How many members the group has after the change.
    public var memberCount: Int
    /// The user who made the change; empty for the application's server.
    public var `operator`: Identifier
    /// The affected members.
    public var members: [ChatMember]
    /// When it happened, milliseconds since 1970.
    public var time: Int64
    /// All members, and those who were members before.
    public var recipients: ChatRecipients
}

/// Changes to a group's profile; nil values stay unchanged.
public struct ChatGroupUpdate: Hashable, Sendable {
    /// The new name; nil for no change.
    public var name: String?
    /// The new address of the picture; nil for no change.
    public var avatar: String?
    /// The new text about the group; nil for no change.
    public var introduction: String?
    /// The new notice; nil for no change.
    public var notice: String?
    /// Who may join; nil for no change.
    public var joinPermission: Int?
    /// Who may invite others; nil for no change.
    public var invitePermission: Int?
    /// The new values of the application; nil for no change.
    public var extra: [String: String]?
    /// Whether all are muted; nil for no change.
    public var isMuted: Bool?

    /// An empty value.
    public init() {}
}

/// A change of a group's properties.
public struct ChatGroupInfoChange: Hashable, Sendable {
    /// The group after the change.
    public var group: ChatGroup
    /// How many members the group has.
    public var memberCount: Int
    /// Names of the wire's members, by alphabet.
    public var changed: [String]
    /// The user who made the change; empty for the application's server.
    public var `operator`: Identifier
    /// When it happened, milliseconds since 1970.
    public var time: Int64
    /// The users who are told.
    public var recipients: ChatRecipients
}

/// A member's profile within a group has changed.
public struct ChatMemberChange: Hashable, Sendable {
    /// The member after the change.
    public var member: ChatMember
    /// The user who made the change; empty for the application's server.
    public var `operator`: Identifier
    /// When it happened, milliseconds since 1970.
    public var time: Int64
    /// The users who are told.
    public var recipients: ChatRecipients
}

/// A group as others see it.
public struct ChatGroupInfo: Hashable, Sendable {
    /// The group.
    public var group: ChatGroup
    /// How many members the group has.
    public var memberCount: Int
}
