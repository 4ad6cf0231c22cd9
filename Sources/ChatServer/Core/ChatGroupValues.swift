import ChatProtocol
import Identifiers
import ServerStorage

/// A change of a group, to be sent to its members.
package struct ChatGroupChange: Hashable, Sendable {
    /// The kind of change.
    package var operation: ChatGroupOperation.Kind
    /// The group after the change, or before it was dismissed.
    package var group: ChatDocument.Group
    /// How many members the group has after the change.
    package var memberCount: Int
    /// The user who made the change; empty for the application's server.
    package var `operator`: Identifier
    /// The affected members.
    package var members: [ChatDocument.Member]
    /// When it happened, milliseconds since 1970.
    package var time: Int64
    /// The receivers: all members, including former members that the change removed.
    package var recipients: ChatRecipients
}

/// A change of a group's properties.
package struct ChatGroupInfoChange: Hashable, Sendable {
    /// The group after the change.
    package var group: ChatDocument.Group
    /// How many members the group has.
    package var memberCount: Int
    /// The protocol names of the changed properties, in alphabetical order.
    package var changed: [String]
    /// The user who made the change; empty for the application's server.
    package var `operator`: Identifier
    /// When it happened, milliseconds since 1970.
    package var time: Int64
    /// The users who are notified.
    package var recipients: ChatRecipients
}

/// A member's profile within a group has changed.
package struct ChatMemberChange: Hashable, Sendable {
    /// The member after the change.
    package var member: ChatDocument.Member
    /// The user who made the change; empty for the application's server.
    package var `operator`: Identifier
    /// When it happened, milliseconds since 1970.
    package var time: Int64
    /// The users who are notified.
    package var recipients: ChatRecipients
}

/// A group with its number of members.
package struct ChatGroupInfo: Hashable, Sendable {
    /// The group.
    package var group: ChatDocument.Group
    /// How many members the group has.
    package var memberCount: Int
}
