import Identifiers
import RealtimeHub

/// An operation on a group and its members. The raw values are used in the protocol (chat-protocol.md 7).
public enum ChatGroupOperation: String, CaseIterable, Hashable, Sendable {
    /// The kinds of changes of a group's membership.
    case create, join, kick, quit, dismiss, addAdmin, removeAdmin, transfer
}

/// A change of a group, to be sent to its members.
public struct ChatGroupChange: Hashable, Sendable {
    /// The kind of change.
    public var operation: ChatGroupOperation
    /// The group after the change, or before it was dismissed.
    public var group: ChatGroup
    /// How many members the group has after the change.
    public var memberCount: Int
    /// The user who made the change; empty for the application's server.
    public var `operator`: Identifier
    /// The affected members.
    public var members: [ChatMember]
    /// When it happened, milliseconds since 1970.
    public var time: Int64
    /// The receivers: all members, including former members that the change removed.
    public var recipients: ChatRecipients
}

/// Changes to a group's profile; nil values stay unchanged.
public struct ChatGroupUpdate: Hashable, Sendable {
    /// The new name; nil for no change.
    public var name: String?
    /// The new address of the picture; nil for no change.
    public var avatar: String?
    /// The new description; nil for no change.
    public var introduction: String?
    /// The new notice; nil for no change.
    public var notice: String?
    /// Who may join; nil for no change.
    public var joinPermission: Int?
    /// Who may invite others; nil for no change.
    public var invitePermission: Int?
    /// The new additional values; nil for no change.
    public var extra: [String: String]?
    /// Whether all members are muted; nil for no change.
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
    /// The protocol names of the changed properties, in alphabetical order.
    public var changed: [String]
    /// The user who made the change; empty for the application's server.
    public var `operator`: Identifier
    /// When it happened, milliseconds since 1970.
    public var time: Int64
    /// The users who are notified.
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
    /// The users who are notified.
    public var recipients: ChatRecipients
}

/// A group with its number of members.
public struct ChatGroupInfo: Hashable, Sendable {
    /// The group.
    public var group: ChatGroup
    /// How many members the group has.
    public var memberCount: Int
}
